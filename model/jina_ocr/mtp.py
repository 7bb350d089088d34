"""The multi-token head of FastMTP (arXiv 2509.18362): a position's hidden state and the next token give the one after.

    hidden = head(embedding_of_next, hidden, rotation)       # each (B, N, width)

Its output goes through the decoder's own final norm and output matrix, and comes back in as ``hidden`` to draft one
token more: one set of weights drafts any number of tokens.
"""

import torch
from torch import Tensor, nn

from proofpress.model.jina_ocr.attention import Cache
from proofpress.model.jina_ocr.config import DecoderConfig
from proofpress.model.jina_ocr.decoder import DecoderLayer, RootMeanSquareNorm


class MultiTokenHead(nn.Module):
    """One dense decoder layer over the joined embedding and hidden state."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.enorm = RootMeanSquareNorm(config.width)
        self.hnorm = RootMeanSquareNorm(config.width)
        self.eh_proj = nn.Linear(2 * config.width, config.width, bias=False)
        self.mtp_block = DecoderLayer(config, layer=0)

    def forward(self, embedded: Tensor, hidden: Tensor, rotation: Tensor, cache: Cache | None = None) -> Tensor:
        # The embedding comes first: the other order loads without complaint and drafts nothing right.
        joined = self.eh_proj(torch.cat((self.enorm(embedded), self.hnorm(hidden)), -1))
        return self.mtp_block(joined, rotation, cache)[0]


class MultiTokenModule(nn.Module):
    """The heads under their published name."""

    def __init__(self, config: DecoderConfig, heads: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(MultiTokenHead(config) for _ in range(heads))
