// The picture of a sheet, where the browser can draw a part of its document on a canvas
// (https://github.com/WICG/html-in-canvas): it is read where it was drawn, without compositor, copies and PNG.

const STRIP = 128; // rows of pixels that are read at once

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
    Object.assign(this, { canvas, context, runs: new Uint8Array(2 * width * height) });
    this.colours = new Uint8Array(3 * width * height);
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
    return (this.pack(height, true) ?? this.pack(height, false)).toBase64();
  },

  // Packed: 1 for a picture in grey or 3 for one in colour, the paper's colour, the number of runs in four bytes (the
  // lowest first), the runs, and the colours of all that is no paper. A run is two bytes: how many pixels are paper, and
  // how many after them are not. Pixels are taken a strip at a time, for memory of that size is used again. null where
  // the picture was to be grey and is not.
  pack(height, grey) {
    const { context, runs, colours, canvas: { width } } = this;
    let run = 0, size = 0, paper;
    for (let top = 0; top < height; top += STRIP) {
      const strip = context.getImageData(0, top, width, Math.min(STRIP, height - top));
      const pixels = new Uint32Array(strip.data.buffer), end = pixels.length;
      paper ??= pixels[0];
      for (let at = 0; at < end;) {
        let until = Math.min(at + 255, end), from = at;
        while (at < until && pixels[at] === paper) at++;
        runs[run++] = at - from;
        until = Math.min(at + 255, end), from = at;
        for (let pixel; at < until && (pixel = pixels[at]) !== paper; at++) {
          colours[size++] = pixel;
          if (grey) {
            if ((pixel & 0xff) !== (pixel >> 8 & 0xff) || (pixel & 0xff) !== (pixel >> 16 & 0xff)) return null;
          } else {
            colours[size++] = pixel >> 8;
            colours[size++] = pixel >> 16;
          }
        }
        runs[run++] = at - from;
      }
      if (grey && ((paper & 0xff) !== (paper >> 8 & 0xff) || (paper & 0xff) !== (paper >> 16 & 0xff))) return null;
    }
    const kind = grey ? [1, paper] : [3, paper, paper >> 8, paper >> 16];
    const head = [...kind, run / 2, run >> 9, run >> 17, run >> 25];
    const packed = new Uint8Array(head.length + run + size);
    packed.set(head);
    packed.set(runs.subarray(0, run), head.length);
    packed.set(colours.subarray(0, size), head.length + run);
    return packed;
  },
};
