"""Text to token ids and back, for the nano vocabulary and for a checkpoint's own ``tokenizer.json``.

    tokenizer = nano_tokenizer()
    tokenizer.decode(tokenizer.encode(text)) == text      # for every text

Both are files of the ``tokenizers`` library, which ``transformers`` loads too.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Regex, decoders, models, pre_tokenizers
from tokenizers import Tokenizer as Library

from proofpress.model.jina_ocr import vocabulary
from proofpress.model.jina_ocr.config import ModelConfig, named
from proofpress.pages.errors import RequestError

_BYTE = re.compile("<0x[0-9A-F]{2}>")


class Tokenizer:
    """A tokenizer and the ids of the model's special tokens. ``len(tokenizer)``: size of the vocabulary.

    library: the tokenizer of the ``tokenizers`` library.
    """

    def __init__(self, library: Library, config: ModelConfig) -> None:
        self.library = library
        self.pad_id, self.bos_id, self.eos_id = config.pad_id, config.bos_id, config.eos_id
        self.image_id = config.image_id
        self._special = frozenset((self.pad_id, self.bos_id, self.eos_id, self.image_id))

    @classmethod
    def load(cls, path: Path, config: ModelConfig) -> "Tokenizer":
        """The tokenizer of a ``tokenizer.json``; ``RequestError`` naming the file if it is none."""
        try:
            return cls(Library.from_file(str(path)), config)
        except Exception as error:  # the library raises nothing narrower
            raise RequestError(f"{path}: not a tokenizer: {error}") from error

    def to_json(self) -> str:
        """The text of ``tokenizer.json``."""
        return self.library.to_str(pretty=True)

    def __len__(self) -> int:
        return self.library.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without a start or an end."""
        return self.library.encode(text, add_special_tokens=False).ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; the model's special tokens say nothing."""
        return self.library.decode([i for i in ids if i not in self._special], skip_special_tokens=False)

    def is_byte(self, token: int) -> bool:
        """Whether a token is one byte of a character that the vocabulary has not; a row of them is decoded at once."""
        return _BYTE.fullmatch(self.library.id_to_token(token) or "") is not None

    def id_of(self, token: str) -> int | None:
        """The id of one token, None if the vocabulary has it not."""
        return self.library.token_to_id(token)


def nano_tokenizer() -> Tokenizer:
    """The tokenizer of ``vocabulary.py``.

    The text is cut into tokens before the model sees it; the model looks each one up whole, and spells what it does
    not know in bytes. The special tokens have ids but no spelling: no text is ever mistaken for one.
    """
    ids = {token: i for i, token in enumerate(vocabulary.tokens())}
    library = Library(models.BPE(vocab=ids, merges=[], byte_fallback=True, ignore_merges=True))
    library.pre_tokenizer = pre_tokenizers.Split(Regex(vocabulary.splitting_pattern()), "isolated")
    library.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return Tokenizer(library, named("nano"))
