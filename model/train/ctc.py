"""The CTC aid: a head that reads a line straight from the vision tokens, used while training and then thrown away.

At first a decoder learns the language and ignores the image. CTC on the vision tokens of single lines forces the
image into them from the first step (Graves et al., 2006); its weight then falls to nothing.

    loss = LineAid(width=192, vocabulary=len(tokenizer), blank=tokenizer.pad_id)(output.vision, batch.labels)
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

# Each vision token is 16 px wide and narrow letters are 3 px: a token must be able to name five.
SLOTS = 5


class LineAid(nn.Module):
    """A linear head that gives each column of vision tokens ``SLOTS`` label positions.

    width: of a vision token. vocabulary: label tokens. blank: an id that no label holds.
    """

    def __init__(self, width: int, vocabulary: int, blank: int) -> None:
        super().__init__()
        self.ctc = nn.Linear(width, SLOTS * vocabulary)
        self.blank = blank

    def forward(self, vision: Tensor, labels: Tensor) -> Tensor:
        """Mean CTC loss in nats per label token. vision: (B, rows, columns, D). labels: (B, A) ids, EOS, then -100."""
        count, _, columns, _ = vision.shape
        logits = self.ctc(vision.mean(1)).view(count, columns * SLOTS, -1)  # (B, T, V)
        lengths = (labels >= 0).sum(1) - 1
        losses = functional.ctc_loss(
            logits.float().log_softmax(-1).transpose(0, 1),  # (T, B, V)
            labels.clamp(min=0),
            torch.full((count,), logits.shape[1]),
            lengths,
            blank=self.blank,
            reduction="sum",
            zero_infinity=True,  # a label with more letters than slots
        )
        return losses / lengths.sum().clamp(min=1)
