// What the press asks of a page, in one call: put the content in, fit it, and say where everything stands.
// Everything goes back as one JSON string of flat arrays: nested objects through the driver cost twice the page.

const MATH = "\uFFFC"; // stands for one inline formula in a piece's text
const JUT = 3; // pixels by which content may stand out of its box: KaTeX gives its stacks a margin of -2 px
const SMALLEST = 6; // pixels of a font that can be read
const UNSPACED = new Set(["zh", "ja"]); // languages that do not part words with spaces
const OPENING = /^[\p{Ps}\p{Pi}]/u;

// The elements that set a page, and how each is set: then what stands in the document is what is painted, in its order.
const TAGS = new Set("HEADER SECTION MAIN ASIDE FOOTER DIV SPAN TABLE TBODY TR TH TD".split(" "));
const PLAIN = Object.entries({
  "text-transform": "none", "font-variant-caps": "normal", "font-variant-numeric": "normal",
  "font-variant-position": "normal", "font-variant-ligatures": "none", "font-feature-settings": "normal",
  "-webkit-text-security": "none", "-webkit-text-stroke-width": "0px", "text-shadow": "none",
  "text-decoration-line": "none", "text-overflow": "clip", "letter-spacing": "normal", "word-spacing": "0px",
  "writing-mode": "horizontal-tb", position: "static", order: "0", zoom: "1", transform: "none",
  scale: "none", rotate: "none", translate: "none", filter: "none", "mix-blend-mode": "normal", "clip-path": "none",
  "mask-image": "none", "background-image": "none", opacity: "1", visibility: "visible",
});

const px = (length) => Math.round(length * 100) / 100;

// A rectangle as plain numbers: a DOMRect asks the engine for each.
const plain = (r, of) => ({ of, left: r.left, top: r.top, right: r.right, bottom: r.bottom });

const meet = (one, other) =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5 &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5;

const press = {
  async print(html) {
    picture.lay(html);
    void document.body.offsetHeight; // lay out now, so that the fonts this page needs begin to load
    if (document.fonts.status === "loading") await document.fonts.ready;
    const dropped = this.fit();
    return JSON.stringify({ dropped, ...this.measure() });
  },

  // Drop what does not fit: pieces wider than their column, then what runs over the body's end. A paragraph that does is
  // where the page ends; anything else goes alone, for what follows it may have room. Each turn lays the page out anew.
  // What is dropped here is not on the page and so not in the label; it is no failed proof.
  fit() {
    const dropped = [];
    for (const body of document.querySelectorAll(".body, .side")) this.fitInto(body, dropped);
    return dropped;
  },

  fitInto(body, dropped) {
    const drop = (piece) => {
      if (!piece.isConnected) return; // it went with its kin
      const id = piece.dataset.piece, group = piece.parentElement;
      for (const part of piece.querySelectorAll("[data-eid]")) if (part.dataset.eid !== id) dropped.push(part.dataset.eid);
      dropped.push(id);
      piece.remove();
      if (group?.matches(".group, .notes") && !group.children.length) group.remove();
      for (const kin of document.querySelectorAll(`[data-piece][data-parent="${id}"]`)) drop(kin);
      const parent = piece.dataset.parent && document.querySelector(`[data-piece="${piece.dataset.parent}"]`);
      if (parent && piece.dataset.type !== "note" && piece.dataset.type !== "list_item") drop(parent);
    };
    const pieces = () => [...body.querySelectorAll("[data-piece]")];
    const wide = (piece) => {
      const column = piece.clientWidth;
      const inner = piece.querySelector("table, svg, .formula-space");
      const spills = inner && (inner.scrollWidth > inner.clientWidth + JUT || inner.getBoundingClientRect().width > column + 1);
      return spills || piece.scrollWidth > column + JUT;
    };
    pieces().filter(wide).forEach(drop); // all are looked at before one goes: the page is laid out once
    for (;;) {
      const box = body.getBoundingClientRect(), placed = pieces();
      const first = placed.findIndex((piece) => [...piece.getClientRects()].some(
        (r) => r.right > box.right + 1 || r.left < box.left - 1 || r.bottom > box.bottom + 1));
      if (first < 0) break;
      placed.slice(first, placed[first].dataset.type === "paragraph" ? undefined : first + 1).forEach(drop);
    }
    let last = pieces().at(-1);
    while (last && last.dataset.type === "heading") { drop(last); last = pieces().at(-1); }
  },

  measure() {
    const pieces = [], words = [], cells = {}, math = {};
    const lang = document.querySelector("#page")?.lang;
    this.segmenter = UNSPACED.has(lang) ? new Intl.Segmenter(lang, { granularity: "word" }) : null;
    this.boxes = [];
    this.doubtful = [];
    for (const of of document.querySelectorAll("body *:not(.m *, svg *)")) {
      for (const r of of.getClientRects()) this.boxes.push(plain(r, of));
    }
    for (const element of document.querySelectorAll("[data-eid]")) {
      const id = element.dataset.eid;
      const own = [...element.getClientRects()].map((r) => plain(r, element));
      const rects = own.flatMap((r) => [px(r.left), px(r.top), px(r.right), px(r.bottom)]);
      this.others = this.foreign(element, own);
      this.visible = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      let text = "";
      const formulas = [];
      const walk = (node, at) => {
        // `at` is the offset in the piece's text, or -1 where words have none (a list marker, a table's cells)
        for (const child of node.childNodes) {
          if (child.nodeType === Node.TEXT_NODE) {
            this.words(child, id, at < 0 ? -1 : text.length, words);
            if (at >= 0) text += child.data;
          } else if (child.classList?.contains("m")) {
            this.word(MATH, id, at < 0 ? -1 : text.length, this.extent(child), words);
            formulas.push(child.innerHTML);
            if (at >= 0) text += MATH;
          } else if (child.dataset?.ref !== undefined) {
            // A raised number is how the page writes what the label writes [^1].
            const mark = `[^${child.textContent}]`;
            this.word(mark, id, text.length, plain(child.getBoundingClientRect()), words);
            text += mark;
          } else {
            walk(child, child.dataset?.marker !== undefined || element.dataset.type === "table" ? -1 : at);
          }
        }
      };
      walk(element, element.dataset.type === "table" ? -1 : 0);
      if (element.dataset.type === "table") {
        cells[id] = [...element.rows].map((row) => [...row.cells].map((c) => {
          const r = c.getBoundingClientRect();
          return [c.tagName, c.rowSpan, c.colSpan, this.text(c), px(r.left), px(r.top), px(r.right)];
        }));
      }
      const marker = element.querySelector("[data-marker]");
      const wide = element.scrollWidth > element.clientWidth + JUT && element.clientWidth > 0;
      pieces.push([id, rects, text, marker ? marker.textContent : "", wide]);
      if (formulas.length) math[id] = formulas;
    }
    if (this.doubtful.length) picture.shown(() => this.ask(words));
    const failed = [...document.fonts].filter((font) => font.status === "error").map((font) => font.family);
    return { pieces, words, cells, math, failed, decor: this.decor(), ...this.setting() };
  },

  // Where lines are drawn that are no content: the edges of boxes, the rules between columns.
  decor() {
    const strips = [];
    const strip = (...edges) => strips.push(...edges.map(px));
    for (const element of document.querySelectorAll("[data-decor]")) {
      const style = getComputedStyle(element);
      const edge = (name) => parseFloat(style.getPropertyValue(`border-${name}-width`));
      for (const r of element.getClientRects()) {
        if (edge("top")) strip(r.left, r.top, r.right, r.top + edge("top"));
        if (edge("bottom")) strip(r.left, r.bottom - edge("bottom"), r.right, r.bottom);
        if (edge("left")) strip(r.left, r.top, r.left + edge("left"), r.bottom);
        if (edge("right")) strip(r.right - edge("right"), r.top, r.right, r.bottom);
        const columns = style.columnRuleStyle === "none" ? 1 : parseInt(style.columnCount) || 1;
        const gap = parseFloat(style.columnGap), width = (r.width - gap * (columns - 1)) / columns;
        for (let n = 1; n < columns; n++) {
          const middle = r.left + n * (width + gap) - gap / 2;
          strip(middle - 1, r.top, middle + 1, r.bottom);
        }
      }
    }
    return strips;
  },

  // How the page is set: the font families of its text, and as `odd` what is not set plainly or stands in no element.
  setting() {
    const page = document.querySelector("#page");
    if (!page) return { families: [], odd: [] };
    const families = new Set(), odd = [];
    const direction = page.dir || "ltr";
    const ink = getComputedStyle(page).color, font = getComputedStyle(page).getPropertyValue("--math-font").trim();
    const tell = (element, what) => odd.push(`${element.closest("[data-eid]")?.dataset.eid ?? "page"}: ${what}`);
    for (const element of page.querySelectorAll("*:not(.m *, svg, svg *)")) {
      const style = getComputedStyle(element);
      if (!TAGS.has(element.tagName)) tell(element, `<${element.tagName.toLowerCase()}> in it`);
      const turned = element.tagName === "TH" && element.dataset.turned !== undefined;
      for (const [name, plain] of PLAIN) {
        const value = style.getPropertyValue(name);
        if (value !== (turned && name === "writing-mode" ? "sideways-lr" : plain)) tell(element, `${name} is ${value}`);
      }
      const way = element.matches(".m, [dir=ltr], [dir=ltr] *") ? "ltr" : direction;
      if (style.direction !== way) tell(element, `direction is ${style.direction}`);
      if (style.unicodeBidi.includes("override")) tell(element, `unicode-bidi is ${style.unicodeBidi}`);
      if (style.webkitTextFillColor !== ink) tell(element, `its text is ${style.webkitTextFillColor}`);
      if (parseFloat(style.fontSize) < SMALLEST) tell(element, `its text is ${style.fontSize} high`);
      for (const pseudo of ["::before", "::after"]) {
        if (getComputedStyle(element, pseudo).content !== "none") tell(element, `${pseudo} paints in it`);
      }
      families.add(style.fontFamily.replaceAll('"', ""));
    }
    for (const { data, parentElement: part } of this.texts(page)) {
      if (data.trim() && !part.closest("[data-eid]")) tell(part, `${data} is in no element`);
    }
    for (const formula of page.querySelectorAll(".katex, math")) {
      for (const part of new Set([...this.texts(formula)].map((text) => text.parentElement))) {
        const style = getComputedStyle(part);
        const seen = part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
        if (formula.tagName === "math") {
          if (!seen || style.color !== ink) tell(part, "a formula is not painted whole");
          if (style.fontFamily.replaceAll('"', "'") !== font) tell(part, `a formula is set in ${style.fontFamily}`);
        } else {
          // KaTeX's own markup is proofed by the letter; here that nothing but its style sheet paints it.
          const inked = style.color === ink || part.closest('[style*="color"]'); // a phantom is hidden by its own colour
          if (!seen || !inked) tell(part, "a formula is not painted whole");
          if (!style.fontFamily.startsWith("KaTeX_")) tell(part, `a formula is set in ${style.fontFamily}`);
        }
      }
    }
    return { families: [...families], odd };
  },

  *texts(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) yield walker.currentNode;
  },

  // What a formula covers: an inline box is only as high as its font, KaTeX's bases are as high as what they hold.
  extent(formula) {
    const rects = [...formula.querySelectorAll(".base, math")].map((base) => base.getBoundingClientRect());
    return {
      left: Math.min(...rects.map((r) => r.left)),
      top: Math.min(...rects.map((r) => r.top)),
      right: Math.max(...rects.map((r) => r.right)),
      bottom: Math.max(...rects.map((r) => r.bottom)),
    };
  },

  text(cell) {
    let text = "";
    for (const child of cell.childNodes) {
      text += child.nodeType === Node.TEXT_NODE ? child.data : child.classList.contains("m") ? MATH : this.text(child);
    }
    return text;
  },

  words(node, id, base, words) {
    const range = document.createRange();
    for (const [start, end] of this.spans(node.data)) {
      range.setStart(node, start);
      range.setEnd(node, end);
      const rects = range.getClientRects();
      if (rects.length === 1) {
        this.word(node.data.slice(start, end), id, base < 0 ? -1 : base + start, plain(rects[0]), words);
      } else {
        this.broken(node, id, base, start, end, range, words);
      }
    }
  },

  // Where words begin and end: at spaces; where a script has none, at the words of a dictionary, a mark with the word
  // that it touches.
  *spans(text) {
    for (const found of text.matchAll(/\S+/g)) {
      const start = found.index, end = start + found[0].length;
      if (!this.segmenter || found[0].length === 1) { yield [start, end]; continue; }
      let from = start, opened = false;
      for (const { index, segment, isWordLike } of this.segmenter.segment(found[0])) {
        const at = start + index, opens = OPENING.test(segment);
        if (at > from && !opened && (isWordLike || opens)) { yield [from, at]; from = at; }
        opened = opens;
      }
      yield [from, end];
    }
  },

  // A word the line breaks, at its hyphen or dash, or one that is set in two directions: one entry for each line.
  broken(node, id, base, start, end, range, words) {
    let from = start, box = null;
    const flush = (to) => {
      if (box) this.word(node.data.slice(from, to), id, base < 0 ? -1 : base + from, box, words);
    };
    for (let at = start; at < end; at++) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const r = range.getBoundingClientRect();
      if (box && Math.abs(r.top - box.top) < 2) {
        box = {
          left: Math.min(box.left, r.left), top: Math.min(box.top, r.top),
          right: Math.max(box.right, r.right), bottom: Math.max(box.bottom, r.bottom),
        };
      } else {
        flush(at);
        from = at;
        box = plain(r);
      }
    }
    flush(end);
  },

  word(text, id, start, r, words) {
    if (this.visible && this.others.some((other) => meet(r, other))) this.doubtful.push([words.length + 7, r, id]);
    words.push(id, text, start, px(r.left), px(r.top), px(r.right), px(r.bottom), this.visible ? 1 : 0);
  },

  // The boxes of others that reach into an element: of all but what holds it and what it holds. KaTeX's own are not
  // counted, for its stacks are tall and empty.
  foreign(element, own) {
    const others = (box) => !box.of.contains(element) && !element.contains(box.of);
    return this.boxes.filter((box) => own.some((r) => meet(r, box)) && others(box));
  },

  // Whether the element itself stands topmost at the centre of a word of its own. Asking costs more than all else here,
  // so it is asked where a box of another reaches into the word; where none does, nothing can stand over it.
  ask(words) {
    for (const [place, r, id] of this.doubtful) {
      const top = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
      words[place] = top?.closest("[data-eid]")?.dataset.eid === id ? 1 : 0;
    }
  },
  boxes: [], // of all elements
  doubtful: [], // words that a box of another reaches into: where in the list of words it says that they are seen
  others: [], // boxes that reach into the element that is being measured
  visible: true, // whether that one is painted at all
};
