"""Benchmarks a model is measured by, scored as upstream scores them and, beside it, by our own checkers.

``olmocr_bench`` (unit tests of pages), ``omnidocbench`` (blocks of pages matched with their gold: ``blocks``,
``normal_forms``, ``matching``, ``cdm``) and ``dataset`` (a dataset folder by the rewards of its tasks). All take text
and give dataclasses; files, models and browsers are the flows' part.
"""
