"""Position tables for views of any size: the one place where a table of one size serves a view of another.

    table = absolute(pos_embed, rows, columns, "resize")     # (1, rows, columns, D)

The public model shows every page at one of two sizes, and a view between them is a page drawn larger or smaller: its
tables are stretched (``resize``). The nano model shows crops at the size they were printed, so one pixel must mean one
pixel in every view: its tables are laid from the view's top left corner and repeat beyond their edge (``crop``). A
table as small as an attention window thus tells the place in the window, and is learned from the smallest crops.
"""

from typing import Literal

from torch import Tensor
from torch.nn import functional as F

Placing = Literal["resize", "crop"]


def absolute(table: Tensor, rows: int, columns: int, placing: Placing) -> Tensor:
    """A (1, H, W, D) table for a view of rows x columns: (1, rows, columns, D)."""
    height, width = table.shape[1:3]
    if (height, width) == (rows, columns):
        return table
    if placing == "crop":
        repeated = table.repeat(1, -(-rows // height), -(-columns // width), 1)
        return repeated[:, :rows, :columns]
    channels_first = table.permute(0, 3, 1, 2).float()
    resized = F.interpolate(channels_first, (rows, columns), mode="bicubic", antialias=True, align_corners=False)
    return resized.permute(0, 2, 3, 1).to(table.dtype)


def relative(table: Tensor, size: int, placing: Placing) -> Tensor:
    """A table of distances -(n-1) .. n-1, (2n - 1, D), for ``size`` positions: (size of query, size of key, D)."""
    wanted, present = 2 * size - 1, table.shape[0]
    if wanted != present and placing == "crop":
        centre = present // 2
        table = table[centre - size + 1 : centre + size]
    elif wanted != present:
        table = F.interpolate(table.float().T[None], wanted, mode="linear")[0].T.to(table.dtype)
    return table.unfold(0, size, 1).flip(-1).mT
