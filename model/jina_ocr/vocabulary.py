r"""The nano model's vocabulary: characters, and as one token each what a reader sees as one thing.

    tokens()       # ('<pad>', '<s>', '</s>', '<image>', '<0x00>', ..., ' ', '!', ..., '\\frac', ..., '</td>', ...)

A small model learns to read faster by characters than by word pieces, but a LaTeX command, a table tag or a heading
mark is one sign on the page or none at all, and spelling it out would teach nothing. What is not listed is written as
the bytes of its UTF-8, so that every text has a spelling. The order is part of a trained model: add only at the end.
"""

import re

SPECIAL = ("<pad>", "<s>", "</s>", "<image>")

BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


def _between(first: str, last: str) -> tuple[str, ...]:
    return tuple(chr(code) for code in range(ord(first), ord(last) + 1) if chr(code).isprintable())


CHARACTERS = (
    "\n",
    *_between(" ", "~"),
    *_between("¡", "ÿ"),
    *_between("Ā", "ſ"),
    *_between("Ά", "ώ"),
    *"ȘșȚțẞ",
    *"–—‘’‚“”„†‡•…‰′″‹›⁄€₹™№℃℉",
    *"⁰⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃₄₅₆₇₈₉⅓⅔⅛⅜⅝⅞",
    *"←↑→↓↔⇐⇒⇔∀∂∃∅∆∇∈∉∏∑−∓∗√∝∞∠∧∨∩∪∫≈≠≡≤≥⊂⊃⊆⊇⊕⊗⊥⋅",
    *"■□▪▫▲△▶▼◆◇○●◦★☆☐☑☒✓✔✗✘♀♂",
)

MARKDOWN = ("# ", "## ", "### ", "#### ", "##### ", "###### ", "\n\n", "\n- ", "$$", "```", "[^", "\\$")

HTML = (
    "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>", "<td", "<th", ' rowspan="', ' colspan="',
    '">', "<br>", "<sub>", "</sub>", "<sup>", "</sup>", "&lt;", "&gt;", "&amp;",
)  # fmt: skip

#: LaTeX's commands of one sign; ``\$`` is Markdown's too and stands there.
SIGNS = tuple(f"\\{sign}" for sign in "\\,;:!{}|%&#_ ")

ENVIRONMENTS = tuple(
    f"\\{side}{{{name}}}"
    for name in (
        "matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "cases", "rcases", "array",
        "aligned", "align", "align*", "alignedat", "gathered", "gather", "split", "equation", "equation*", "subarray",
    )
    for side in ("begin", "end")
)  # fmt: skip

_COMMAND_NAMES = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega
varepsilon vartheta varkappa varpi varrho varsigma varphi digamma
Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
aleph beth hbar hslash ell wp Re Im imath jmath partial nabla infty emptyset varnothing angle triangle square forall
exists nexists neg lnot top bot prime backslash degree flat natural sharp clubsuit diamondsuit heartsuit spadesuit
checkmark dagger ddagger Box Diamond blacksquare bigstar complement surd
frac dfrac tfrac cfrac binom dbinom tbinom genfrac sqrt over atop choose stackrel overset underset substack
hat widehat tilde widetilde bar overline underline vec dot ddot dddot acute grave breve check mathring
overbrace underbrace overrightarrow overleftarrow overleftrightarrow boxed cancel bcancel xcancel sout phantom
hphantom vphantom smash
sum prod coprod int iint iiint oint oiint bigcup bigcap bigsqcup bigvee bigwedge bigoplus bigotimes bigodot biguplus
limits nolimits
sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log ln lg lim limsup liminf max min sup inf arg
deg det dim gcd hom ker Pr argmax argmin injlim projlim operatorname mod bmod pmod
pm mp times div cdot ast star circ bullet oplus ominus otimes oslash odot cap cup sqcap sqcup uplus vee wedge lor land
setminus wr amalg diamond bigtriangleup bigtriangledown triangleleft triangleright ltimes rtimes
le leq leqslant ge geq geqslant ne neq ll gg lll ggg equiv sim simeq approx approxeq cong propto asymp doteq prec succ
preceq succeq subset supset subseteq supseteq subsetneq supsetneq nsubseteq sqsubset sqsupset sqsubseteq sqsupseteq in
ni notin owns mid nmid parallel nparallel perp vdash dashv models Vdash vDash bowtie smile frown lesssim gtrsim
lessgtr gtrless ncong nleq ngeq nless ngtr not coloneqq therefore because
to gets leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow longleftarrow longrightarrow
longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow mapsto longmapsto hookleftarrow hookrightarrow
uparrow downarrow updownarrow Uparrow Downarrow nearrow searrow swarrow nwarrow leftharpoonup leftharpoondown
rightharpoonup rightharpoondown rightleftharpoons leadsto iff implies impliedby xrightarrow xleftarrow
left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr lbrace rbrace lbrack rbrack langle
rangle lfloor rfloor lceil rceil lvert rvert lVert rVert vert Vert
ldots cdots vdots ddots dots dotsb dotsc quad qquad enspace thinspace hspace kern mkern newline tag notag hline
text textbf textit textrm texttt textsf mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak mathscr mathnormal
boldsymbol bm pmb rm bf it displaystyle textstyle scriptstyle mathop mathbin mathrel mathord color textcolor
"""

COMMANDS = tuple(f"\\{name}" for name in _COMMAND_NAMES.split())


def tokens() -> tuple[str, ...]:
    """All tokens; a token's id is its place."""
    return (*SPECIAL, *BYTES, *CHARACTERS, *MARKDOWN, *HTML, *SIGNS, *ENVIRONMENTS, *COMMANDS)


def splitting_pattern() -> str:
    r"""A regular expression that takes the longest token at each place, else one character.

    A command of letters ends where its letters end: ``\inf`` is a token of its own or none, never ``\in`` and ``f``.
    """
    longest_first = sorted((*MARKDOWN, *HTML, *SIGNS, *ENVIRONMENTS, *COMMANDS), key=lambda token: (-len(token), token))
    whole = (re.escape(token) + ("(?![A-Za-z])" if token[-1].isalpha() else "") for token in longest_first)
    return "|".join((*whole, r"[\s\S]"))
