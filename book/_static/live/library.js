// The library behind the page: a worker with Python that answers questions, and starts over if lost.

/** Seconds without a word from the worker after which it counts as lost. */
const PATIENCE = 30;

/** A question that was not answered: by an error of the library, or because the worker is gone. */
export class Unanswered extends Error {}

export class Library {
  /**
   * @param {URL} worker where its script is
   * @param {(said: object) => void} listen told what the worker says beside answers
   */
  constructor(worker, listen) {
    this.address = worker;
    this.listen = listen;
    this.waiting = new Map();
    this.asked = 0;
    this.patience = PATIENCE;
  }

  get running() {
    return Boolean(this.worker);
  }

  start() {
    if (this.worker) return;
    this.worker = new Worker(this.address);
    this.heard = Date.now();
    this.worker.onmessage = ({ data }) => this.#hear(data);
    this.worker.onerror = (event) => this.#lose(event.message || "the page's worker does not start");
    this.watch = setInterval(() => this.#look(), 1000);
  }

  /** Asks a question and returns its answer, an object. */
  ask(question) {
    this.start();
    const id = (this.asked += 1);
    return new Promise((answer, refuse) => {
      this.waiting.set(id, { answer, refuse });
      this.worker.postMessage({ id, question });
    });
  }

  #hear(data) {
    this.heard = Date.now();
    if (data.failed) this.#lose(data.failed);
    else if (data.id === undefined) this.listen(data);
    else {
      const { answer, refuse } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.answer.error) refuse(new Unanswered(data.answer.error));
      else answer(data.answer);
    }
  }

  #look() {
    const silent = (Date.now() - this.heard) / 1000;
    if (silent > this.patience) this.#lose(`Python has not answered for ${Math.round(silent)} seconds`);
  }

  #lose(why) {
    clearInterval(this.watch);
    this.worker.terminate();
    this.worker = null;
    const said = `${why}. What you wrote is still here; the next question starts it again.`;
    for (const { refuse } of this.waiting.values()) refuse(new Unanswered(said));
    this.waiting.clear();
    this.listen({ lost: said });
  }
}
