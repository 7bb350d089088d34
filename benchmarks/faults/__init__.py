"""The faults that ``cleaning.py`` puts into sound rows, one function a fault: it gives the faulty row, or None where
the row has no place for it (no braces to unbalance, no cell to join).

Each is named by the reason that the cleaner must give.
"""

from faults.fault import Fault
from faults.labels import LABEL_FAULTS
from faults.pictures import PICTURE_FAULTS

__all__ = ["FAULTS", "Fault"]

FAULTS = (*LABEL_FAULTS, *PICTURE_FAULTS)
