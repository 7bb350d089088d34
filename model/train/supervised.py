"""The objective of supervised training: the label's cross-entropy, with the CTC aid and the experts' balance beside it.

loss, figures = Supervised(network, aid, recipe)(drawn, whole)
"""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import IGNORED
from proofpress.model.train.batches import Drawn
from proofpress.model.train.ctc import LineAid
from proofpress.model.train.loop import Whole
from proofpress.model.train.recipe import SFTRecipe


class Supervised(nn.Module):
    """The network and its aid, and the loss of a part of a step; see ``loop.Objective``.

    Label and aid are means over the tokens of the whole step; the balance, which is of one pass, is a mean over its
    passes. Figures: ``nats`` of all labels, ``ctc`` (mean of the aid), ``expert_share`` (of the busiest expert).
    """

    def __init__(self, network: JinaOCR, aid: LineAid, recipe: SFTRecipe) -> None:
        super().__init__()
        self.network, self.aid, self._recipe = network, aid, recipe

    def counts(self, drawn: Drawn) -> dict[str, int]:
        """Label tokens, and those of them that the aid is taught."""
        tokens = int((drawn.batch.labels != IGNORED).sum())
        return {"tokens": tokens, "line_tokens": tokens if self._recipe.kinds[drawn.key.kind].one_line else 0}

    def forward(self, drawn: Drawn, whole: Whole) -> tuple[Tensor, dict[str, Tensor]]:
        recipe, labels = self._recipe, drawn.batch.labels
        output = self.network(drawn.batch)
        nats = functional.cross_entropy(
            output.logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
        )
        balance = output.balance / whole.parts
        loss = nats / whole.counts["tokens"] + recipe.router_balance * balance
        figures = {"nats": nats, "expert_share": largest_share(output.loads, nats) / whole.parts}
        weight = recipe.ctc * max(0.0, 1 - whole.share / recipe.ctc_until)
        if weight and (own := self.counts(drawn)["line_tokens"]):
            figures["ctc"] = self.aid(output.vision, labels) * (own / whole.counts["line_tokens"])
            loss = loss + weight * figures["ctc"]
        else:
            # A team adds up gradients that are there in every process, whatever rows it has.
            figures["ctc"] = 0.0 * sum((parameter.sum() for parameter in self.aid.parameters()), nats.new_zeros(()))
            loss = loss + figures["ctc"]
        return loss, figures


def largest_share(loads: Sequence[Tensor], like: Tensor) -> Tensor:
    """What the busiest expert of any layer got of the layer's assignments; 1.0 when routing has collapsed."""
    shares = [load.max() / load.sum() for load in loads]
    return max(shares) if shares else like.new_zeros(())
