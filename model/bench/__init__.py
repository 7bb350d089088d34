"""Benchmarks a model is measured by, scored as upstream scores them and, beside it, by our own checkers.

``olmocr_bench`` (unit tests of pages), ``omnidocbench`` (blocks of pages matched with their gold: ``gold``,
``blocks``, ``formula_lines``, ``normal_forms``, ``matching``, ``cdm``, ``results``) and ``dataset`` (records by the
rewards of their tasks). All take text and give dataclasses; files, models and browsers are the flows' part.
"""
