"""The sizes Jina-OCR comes in: ``jina-ocr-v1``, ``deepseek-ocr`` and the bundled ``nano``, one network for all three.

    config = named("nano");  network = JinaOCR(config)

The public sizes are those of the published ``config.json`` files (deepseek-ai/DeepSeek-OCR, jinaai/jina-ocr-v1), with
the values their code falls back to filled in. ``nano`` has the same structure small enough to train on a CPU.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from proofpress.pages.errors import RequestError

#: What ``config.json`` calls the public architecture.
HUB_ARCHITECTURE = "DeepseekOCRForCausalLM"


@dataclass(frozen=True, slots=True)
class SamConfig:
    """The first encoder: windowed attention over small patches, then convolutions that join patches into tokens.

    channels: of the image, 3 for RGB and 1 for grey. patch: its side in pixels. window: side of an attention window in
    patches. global_layers: the blocks that attend over the whole view. grid: side of the position table in patches.
    span: largest distance plus one, in patches, of a global block's relative positions. compressor, strides: channels
    and strides of the two joining convolutions; a token is ``patch * strides[0] * strides[1]`` pixels wide.
    """

    channels: int
    patch: int
    width: int
    layers: int
    heads: int
    mlp_width: int
    window: int
    global_layers: tuple[int, ...]
    grid: int
    span: int
    neck: int
    compressor: tuple[int, int]
    strides: tuple[int, int]

    @property
    def token_side(self) -> int:
        """Pixels along a side of what one vision token covers."""
        return self.patch * self.strides[0] * self.strides[1]


@dataclass(frozen=True, slots=True)
class ClipConfig:
    """The second encoder: full attention over the tokens. grid: side of its position table in tokens.

    patch: side of the published patch convolution, which is never run: the first encoder's tokens take its place.
    """

    width: int
    layers: int
    heads: int
    mlp_width: int
    grid: int
    patch: int


@dataclass(frozen=True, slots=True)
class DecoderConfig:
    """The language model. The first ``dense_layers`` layers have a plain feed-forward net, the others experts.

    shared_experts: how many expert widths the always-active net has. tied: the output matrix is the embedding.
    """

    vocabulary: int
    width: int
    heads: int
    layers: int
    dense_layers: int
    dense_width: int
    experts: int
    experts_per_token: int
    expert_width: int
    shared_experts: int
    rope_base: float
    max_positions: int
    tied: bool


@dataclass(frozen=True, slots=True)
class TiledViews:
    """A page letterboxed into one square, and cut into at most ``max_tiles`` squares when larger than a tile."""

    page_side: int
    tile_side: int
    min_tiles: int
    max_tiles: int


@dataclass(frozen=True, slots=True)
class CropViews:
    """A crop as it is, padded with paper to multiples of ``step`` pixels; scaled down only beyond the two limits."""

    step: int
    max_side: int
    max_pixels: int


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """What surrounds the image. bos: where the start token stands, before or after the image or nowhere."""

    before: str
    after: str
    bos: Literal["before", "after", "none"]


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """Limits of a reading: see ``decoding.py``. exempt: tokens that repeating sequences may always use."""

    max_tokens: int
    ngram: int
    window: int
    exempt: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One size of the model.

    positions: how a position table serves a view of another size, see ``positions.py``. pixel_mean, pixel_std: what
    pixel values of 0..1 are normalised with. draft_heads: multi-token heads beside the decoder, 0 or 1.
    """

    name: str
    sam: SamConfig
    clip: ClipConfig
    decoder: DecoderConfig
    views: TiledViews | CropViews
    prompt: PromptConfig
    generation: GenerationConfig
    positions: Literal["resize", "crop"]
    pixel_mean: float
    pixel_std: float
    draft_heads: int
    pad_id: int
    bos_id: int
    eos_id: int
    image_id: int


_DEEPSEEK = ModelConfig(
    name="deepseek-ocr",
    sam=SamConfig(
        channels=3, patch=16, width=768, layers=12, heads=12, mlp_width=3072, window=14, global_layers=(2, 5, 8, 11),
        grid=64, span=64, neck=256, compressor=(512, 1024), strides=(2, 2),
    ),
    clip=ClipConfig(width=1024, layers=24, heads=16, mlp_width=4096, grid=16, patch=14),
    decoder=DecoderConfig(
        vocabulary=129280, width=1280, heads=10, layers=12, dense_layers=1, dense_width=6848, experts=64,
        experts_per_token=6, expert_width=896, shared_experts=2, rope_base=1e4, max_positions=8192, tied=False,
    ),
    views=TiledViews(page_side=1024, tile_side=640, min_tiles=2, max_tiles=9),
    prompt=PromptConfig(before="", after="\n<|grounding|>Convert the document to markdown.", bos="before"),
    generation=GenerationConfig(max_tokens=8192, ngram=35, window=1024, exempt=("<td>", "</td>")),
    positions="resize",
    pixel_mean=0.5,
    pixel_std=0.5,
    draft_heads=0,
    pad_id=2,
    bos_id=0,
    eos_id=1,
    image_id=128815,
)  # fmt: skip

_JINA = replace(
    _DEEPSEEK,
    name="jina-ocr-v1",
    decoder=replace(_DEEPSEEK.decoder, rope_base=1e6, max_positions=32768),
    prompt=PromptConfig(
        before="<|User|>:\n",
        after="\nTranscribe the provided document image into a clean Markdown format, "
        "preserving the natural reading order.\n<|Assistant|>:\n",
        bos="none",
    ),
    generation=replace(_DEEPSEEK.generation, max_tokens=4096),
    draft_heads=1,
)

_NANO = ModelConfig(
    name="nano",
    # A token is 16 x 16 pixels: with the public 64 x 64 one token would hold several lines of small text.
    sam=SamConfig(
        channels=1, patch=8, width=128, layers=4, heads=4, mlp_width=256, window=8, global_layers=(3,),
        grid=8, span=96, neck=128, compressor=(192, 192), strides=(2, 1),
    ),
    clip=ClipConfig(width=192, layers=2, heads=6, mlp_width=384, grid=48, patch=1),
    decoder=DecoderConfig(
        vocabulary=1264, width=192, heads=6, layers=4, dense_layers=1, dense_width=576, experts=8,
        experts_per_token=2, expert_width=96, shared_experts=4, rope_base=1e4, max_positions=4096, tied=True,
    ),
    # A line of text is about 28 pixels high: with a larger step half of all vision work would be on padding.
    views=CropViews(step=32, max_side=768, max_pixels=768 * 512),
    # No words: a model with one task learns nothing from an instruction, and each token costs time.
    prompt=PromptConfig(before="", after="", bos="after"),
    # Its tokens are characters: about four make one of the public vocabulary's.
    generation=GenerationConfig(max_tokens=2048, ngram=140, window=1024, exempt=("<td>", "</td>")),
    positions="crop",
    pixel_mean=1.0,  # paper is 0, so that padding is paper
    pixel_std=0.4,
    draft_heads=0,
    pad_id=0,
    bos_id=1,
    eos_id=2,
    image_id=3,
)  # fmt: skip

CONFIGS = {config.name: config for config in (_JINA, _DEEPSEEK, _NANO)}


def named(name: str) -> ModelConfig:
    """The configuration of this name; ``RequestError`` naming the known ones otherwise."""
    if name not in CONFIGS:
        raise RequestError(f"model: {name!r} is not one of {', '.join(CONFIGS)}")
    return CONFIGS[name]


def to_json(config: ModelConfig) -> dict[str, Any]:
    """The configuration as ``config.json`` holds it."""
    return asdict(config)


def from_json(values: dict[str, Any]) -> ModelConfig:
    """The configuration that ``config.json`` holds, ours or the hub's; ``RequestError`` if it is neither."""
    if HUB_ARCHITECTURE in values.get("architectures", ()):
        return _from_hub(values)
    try:
        views = TiledViews if "tile_side" in values["views"] else CropViews
        kinds = {
            "sam": SamConfig, "clip": ClipConfig, "decoder": DecoderConfig, "views": views,
            "prompt": PromptConfig, "generation": GenerationConfig,
        }  # fmt: skip
        return ModelConfig(**{k: _part(kinds[k], v) if k in kinds else v for k, v in values.items()})
    except (KeyError, TypeError) as error:
        raise RequestError(f"config.json: not a Jina-OCR configuration: {error}") from error


def _part(kind: type, values: dict[str, Any]) -> Any:
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


#: Our names for the decoder's values of the published ``config.json``.
_HUB_DECODER = {
    "vocab_size": "vocabulary", "hidden_size": "width", "num_attention_heads": "heads", "num_hidden_layers": "layers",
    "first_k_dense_replace": "dense_layers", "intermediate_size": "dense_width", "n_routed_experts": "experts",
    "num_experts_per_tok": "experts_per_token", "moe_intermediate_size": "expert_width",
    "n_shared_experts": "shared_experts", "rope_theta": "rope_base", "max_position_embeddings": "max_positions",
    "tie_word_embeddings": "tied",
}  # fmt: skip

#: What the published ``config.json`` may say and only one value of is computed here.
_HUB_FIXED = {
    "use_mla": False, "norm_topk_prob": False, "scoring_func": "softmax", "topk_method": "greedy", "moe_layer_freq": 1,
    "routed_scaling_factor": 1.0, "rms_norm_eps": 1e-6, "attention_bias": False, "hidden_act": "silu",
    "rope_scaling": None, "mtp_recursive": True, "mtp_moe": False,
}  # fmt: skip

_HUB_IDS = {
    "pad_token_id": "pad_id",
    "bos_token_id": "bos_id",
    "eos_token_id": "eos_id",
    "image_token_index": "image_id",
}


def _from_hub(values: dict[str, Any]) -> ModelConfig:
    """The published ``config.json``: its language values stand at the root, in ``language_config`` or in both.

    What it leaves out is as in the published sizes. ``RequestError`` names a value that would compute another network.
    """
    language = {**values.get("language_config", {}), **values}
    for key, computed in _HUB_FIXED.items():
        if language.get(key, computed) != computed:
            raise RequestError(f"config.json: {key}: {language[key]!r} is not computed here, only {computed!r}")
    drafts = language.get("num_nextn_predict_layers", 0)
    if drafts not in (0, 1):
        raise RequestError(f"config.json: num_nextn_predict_layers: {drafts!r} is not 0 or 1")
    base = _JINA if drafts else _DEEPSEEK
    # Where the rotary base is not said it is that of DeepSeek-OCR, in whatever else the file is like jina-ocr-v1.
    told = {"rope_theta": _DEEPSEEK.decoder.rope_base, **language}
    decoder = {ours: told[theirs] for theirs, ours in _HUB_DECODER.items() if told.get(theirs) is not None}
    ids = {ours: told[theirs] for theirs, ours in _HUB_IDS.items() if isinstance(told.get(theirs), int)}
    return replace(base, decoder=replace(base.decoder, **decoder), draft_heads=drafts, **ids)
