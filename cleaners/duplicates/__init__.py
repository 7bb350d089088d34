"""Duplicates of pages: what is compared of a page, in fixed size a row, and which rows are one content.

A row becomes a fingerprint (``fingerprint.py``) once, wherever rows are; fingerprints are small, and clusters are found
among them band by band (``clusters.py``), so that the cost grows with the rows and never with their pairs.
"""
