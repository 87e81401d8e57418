"""Language models: ``client`` asks and replays, ``batches`` asks by files, ``server`` serves.

``recordings`` keeps what was answered.

>>> from chessgloss.llm.client import replay
>>> replay("factorial").model.name
'qwen2.5-coder-1.5b-q4_k_m'
"""
