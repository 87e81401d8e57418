"""Trained models as files: safetensors in half precision, with their settings inside."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from chessgloss.tracking.models import LanguageModel, make_model
from chessgloss.tracking.settings import (
    Settings,
    Training,
    as_values,
    settings_from,
    training_from,
)

#: What every checkpoint says it is.
FORM = "chessgloss.tracking 1"


class CheckpointError(ValueError):
    """A file that is not a checkpoint of ours, or is damaged."""


def write_checkpoint(model: LanguageModel, training: Training, path: Path) -> Path:
    """Write a model's weights, rounded to float16, with what it is and how it was trained."""
    weights = {name: one.half().contiguous() for name, one in model.state_dict().items()}
    about = {
        "form": FORM,
        "settings": json.dumps(as_values(model.settings), sort_keys=True),
        "training": json.dumps(as_values(training), sort_keys=True),
    }
    return write_tensors(weights, about, path)


def read_checkpoint(path: Path) -> tuple[LanguageModel, Training]:
    """Return a model in float32, in evaluation mode, and how it was trained.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message says how to make it.
    CheckpointError
        If the file is not a checkpoint of ours, or does not fit its own settings.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing; run: python -m chessgloss.tracking.retrain {path.stem}"
        )
    tensors, about = read_tensors(path)
    if about.get("form") != FORM:
        raise CheckpointError(f"{path} says it is {about.get('form')!r}, not {FORM!r}")
    try:
        settings = settings_from(json.loads(about["settings"]))
        training = training_from(json.loads(about["training"]))
        model = _filled(settings, tensors)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{path} does not hold the model it names: {error}") from None
    return model.eval(), training


def write_tensors(
    tensors: Mapping[str, torch.Tensor], about: Mapping[str, str], path: Path
) -> Path:
    """Write named tensors and texts to a file, atomically: a kill leaves the old file or ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".part{os.getpid()}")
    save_file(dict(tensors), aside, dict(about))
    return aside.replace(path)


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors and texts of a file.

    Raises
    ------
    CheckpointError
        If the file is cut off or of another form.
    """
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return tensors, dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is damaged or no safetensors file: {error}") from None


def read_tensors_of(run: str, path: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a file that was kept of one run.

    Raises
    ------
    CheckpointError
        If the file is damaged, or another run's.
    """
    tensors, about = read_tensors(path)
    if about.get("run") != run:
        raise CheckpointError(f"{path} is of the run {about.get('run')!r}, not {run!r}")
    return tensors


def _filled(settings: Settings, tensors: Mapping[str, torch.Tensor]) -> LanguageModel:
    model = make_model(settings, seed=0)
    model.load_state_dict({name: one.float() for name, one in tensors.items()})
    return model
