"""Language models: ``client`` asks and replays, ``recordings`` keeps answers, ``server`` serves.

>>> from chessgloss.llm.client import replay
>>> replay("factorial").model.name
'qwen2.5-coder-1.5b-q4_k_m'
"""
