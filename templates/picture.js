// The picture of a sheet, where the browser can draw a part of its document on a canvas
// (https://github.com/WICG/html-in-canvas): it is read where it was drawn, without compositor, copies and PNG.

const STRIP = 128; // rows of pixels that are read at once
const OTHER = 255; // stands for a colour without a number
const SLOTS = 4096; // for the numbers of colours, each at the first 12 bits of its product with SPREAD
const SPREAD = 0x9e3779b1;

const picture = {
  // Set up a canvas of this size that sheets lie on; whether the browser can draw them.
  begin(width, height) {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    if (!context.drawElementImage || !Uint8Array.prototype.toBase64) return false;
    canvas.setAttribute("layoutsubtree", "");
    Object.assign(canvas, { width, height });
    canvas.style.display = "block";
    document.body.replaceChildren(canvas);
    const pixels = width * height;
    Object.assign(this, { canvas, context, runs: new Uint8Array(2 * pixels), codes: new Uint8Array(pixels) });
    this.others = new Uint8Array(3 * pixels);
    return true;
  },

  // Put a sheet's content on the page: on the canvas, or where there is none in the body.
  lay(html) {
    if (!this.canvas) {
      document.body.innerHTML = html;
      return;
    }
    const sheet = document.createElement("div"); // a new one: what is drawn is then never an earlier sheet
    sheet.style.cssText = `width: ${this.canvas.width}px; height: ${this.canvas.height}px`;
    sheet.innerHTML = html;
    this.canvas.replaceChildren(sheet);
  },

  // Do something while the sheet lies on the page itself, for nobody is told which element stands at a point of a canvas.
  shown(work) {
    const sheet = this.canvas?.firstElementChild;
    if (sheet) document.body.prepend(sheet);
    work();
    if (sheet) this.canvas.replaceChildren(sheet);
  },

  // The sheet's pixels down to this height, packed, in base64; null where no frame has painted it yet.
  read(height) {
    this.context.fillStyle = "#fff";
    this.context.fillRect(0, 0, this.canvas.width, height);
    try {
      this.context.drawElementImage(this.canvas.firstElementChild, 0, 0);
    } catch (error) {
      if (error.name === "InvalidStateError") return null;
      throw error;
    }
    return this.pack(height).toBase64();
  },

  // Packed: a 0, which no PNG begins with, the number of colours, and these in three bytes each, the paper's first; how
  // many runs there are and how many pixels are no paper, in four bytes each (the lowest first); the runs; a byte for each
  // pixel that is no paper; the other colours. A run is two bytes: how many pixels are paper, and how many after them are
  // not. A pixel's byte is the number of its colour, or OTHER where that is the next of the other colours. Pixels are
  // taken a strip at a time, for memory of that size is used again.
  pack(height) {
    const { context, runs, codes, others, canvas: { width } } = this;
    const colours = new Uint32Array(OTHER), numbers = new Uint8Array(SLOTS); // a colour's number stands at its own slot
    let run = 0, code = 0, other = 0, known = 0;
    for (let top = 0; top < height; top += STRIP) {
      const strip = context.getImageData(0, top, width, Math.min(STRIP, height - top));
      const pixels = new Uint32Array(strip.data.buffer), end = pixels.length;
      if (!top) colours[known++] = pixels[0];
      const paper = colours[0];
      for (let at = 0; at < end;) {
        let until = Math.min(at + 255, end), from = at;
        while (at < until && pixels[at] === paper) at++;
        runs[run++] = at - from;
        until = Math.min(at + 255, end), from = at;
        for (let pixel; at < until && (pixel = pixels[at]) !== paper; at++) {
          const slot = Math.imul(pixel, SPREAD) >>> 20;
          if (numbers[slot] === 0 && known < OTHER) {
            numbers[slot] = known;
            colours[known++] = pixel;
          }
          const number = numbers[slot];
          if (number !== 0 && colours[number] === pixel) {
            codes[code++] = number;
          } else {
            codes[code++] = OTHER;
            others[other++] = pixel;
            others[other++] = pixel >> 8;
            others[other++] = pixel >> 16;
          }
        }
        runs[run++] = at - from;
      }
    }
    const bytes = (number) => [number, number >> 8, number >> 16, number >> 24];
    const palette = [...colours.subarray(0, known)].flatMap((colour) => bytes(colour).slice(0, 3));
    const head = [0, known, ...palette, ...bytes(run / 2), ...bytes(code)];
    const packed = new Uint8Array(head.length + run + code + other);
    packed.set(head);
    packed.set(runs.subarray(0, run), head.length);
    packed.set(codes.subarray(0, code), head.length + run);
    packed.set(others.subarray(0, other), head.length + run + code);
    return packed;
  },
};
