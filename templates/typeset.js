// Where each glyph of each formula lies. The body is a list of `.formula`, each with KaTeX's HTML inside.

// What is drawn and not written, by the class of the element that KaTeX draws it with.
const DRAWN = [
  [".frac-line", "\\frac"], [".overline-line", "\\overline"], [".underline-line", "\\underline"],
  [".hline", "\\hline"], [".hdashline", "\\hline"], [".rule", "\\rule"], [".boxed", "\\boxed"], [".cancel-lap", "\\cancel"],
];
// KaTeX draws wide hats and tildes from pictures of these widths.
const WIDE = {1062: "\\hat", 2364: "\\hat", 600: "\\tilde", 1033: "\\tilde", 2339: "\\tilde", 2340: "\\tilde"};
const svgName = (svg) => {
  if (svg.closest(".sqrt")) return "\\sqrt";
  if (svg.closest(".accent, .accent-body")) return WIDE[svg.viewBox.baseVal.width] ?? "\\accent";
  if (svg.closest(".delimsizing, .delimcenter, .mopen, .mclose")) return "\\delimiter";
  return "\\stretchy";
};

const press = {
  async print(html) {
    document.body.innerHTML = html;
    void document.body.offsetHeight; // lay out now, so that the fonts these formulas need begin to load
    await document.fonts.ready;
    return JSON.stringify([...document.querySelectorAll(".formula")].map((formula) => this.glyphs(formula)));
  },

  // [name, drawn, x, y, width, height] of each, in the document's order; what has no extent is not seen.
  glyphs(formula) {
    const found = [];
    for (const element of formula.querySelectorAll("*")) {
      if (element.tagName === "SPAN" && element.children.length === 0 && /\S/.test(element.textContent)) {
        found.push([element.textContent.trim(), false, element]);
      } else if (element.tagName === "svg") {
        found.push([svgName(element), true, element]);
      } else {
        const drawn = DRAWN.find(([selector]) => element.matches(selector));
        if (drawn && !element.querySelector("svg")) found.push([drawn[1], true, element]);
      }
    }
    return found.map(([name, drawn, element]) => {
      const box = element.getBoundingClientRect();
      return [name, drawn, box.x, box.y, box.width, box.height];
    });
  },
};
