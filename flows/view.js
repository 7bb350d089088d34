// The viewer's page. What a dataset says is only ever set as text, never as markup.
"use strict";

const at = (id) => document.getElementById(id);
const token = document.querySelector('meta[name="proofpress-token"]').content;
const SVG = "http://www.w3.org/2000/svg";

let places = []; // rows that the filters let through
let here = 0; // which of them is shown
let shown = null; // what the server says of it
let asked = 0; // answers to anything but the latest request are dropped

function say(text) {
  at("said").textContent = text;
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("the viewer has stopped; start proofpress view again");
  }
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function filter() {
  const wanted = new URLSearchParams(new FormData(at("filters")));
  const turn = ++asked;
  const found = await ask(`/rows?${wanted}`);
  if (turn !== asked) return;
  places = found;
  here = 0;
  await show();
}

async function show(before = "") {
  const turn = ++asked;
  if (!places.length) {
    shown = null;
    at("row").hidden = true;
    say("No row is like that.");
    return;
  }
  const row = await ask(`/row/${places[here]}`);
  if (turn !== asked) return;
  shown = row;
  at("row").hidden = false;
  at("title").textContent = row.id;
  at("facts").textContent = row.facts.join(" · ");
  at("why").replaceChildren(
    ...row.why.flatMap((one) => [element("dt", one.what), element("dd", one.evidence)]),
  );
  at("label").textContent = row.label;
  at("reading").textContent = row.reading;
  at("reading-part").hidden = !row.reading;
  at("note").value = row.note;
  at("sheet").hidden = !row.picture;
  at("picture").alt = `Picture of ${row.id}: ${row.label.slice(0, 120)}`;
  if (row.picture) at("picture").src = `/image/${row.place}`;
  draw(row);
  mark();
  say(`${before}Row ${here + 1} of ${places.length}`);
}

function draw(row) {
  const overlay = at("overlay");
  overlay.setAttribute("viewBox", `0 0 ${row.size[0] || 1} ${row.size[1] || 1}`);
  overlay.replaceChildren();
  at("elements-part").hidden = !row.elements.length;
  at("elements").replaceChildren(
    ...row.elements.map((one) => {
      const item = element("li");
      item.append(element("b", one.type.replace("_", " ")), one.text);
      const polygons = one.polygons.map((points) => {
        const polygon = document.createElementNS(SVG, "polygon");
        polygon.setAttribute("points", points.join(" "));
        return polygon;
      });
      overlay.append(...polygons);
      const light = (on) => () => polygons.forEach((polygon) => polygon.classList.toggle("seen", on));
      item.addEventListener("pointerenter", light(true));
      item.addEventListener("pointerleave", light(false));
      return item;
    }),
  );
}

function mark() {
  for (const decision of ["accept", "reject"])
    at(decision).setAttribute("aria-pressed", String(shown.review === decision));
  const words = { open: "Not decided", accept: "Accepted", reject: "Rejected" };
  at("review").textContent = words[shown.review];
  at("review").className = shown.review;
}

async function go(step) {
  const there = here + step;
  if (there < 0 || there >= places.length) {
    say(step > 0 ? "This is the last row." : "This is the first row.");
    return;
  }
  here = there;
  await show();
}

async function decide(decision) {
  if (!shown) return;
  const row = shown;
  const body = JSON.stringify({ place: row.place, decision, note: at("note").value });
  const headers = { "Content-Type": "application/json", "X-Proofpress-Token": token };
  await ask("/review", { method: "POST", headers, body });
  row.review = decision === "undecided" ? "open" : decision;
  const words = { accept: "Accepted. ", reject: "Rejected. ", undecided: "Not decided any more. " }[decision];
  if (shown !== row) return;
  mark();
  if (decision !== "undecided" && here + 1 < places.length) {
    here += 1;
    await show(words);
  } else {
    say(`${words}Row ${here + 1} of ${places.length}`);
  }
}

function boxes() {
  const button = at("boxes");
  const on = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(on));
  at("overlay").toggleAttribute("hidden", !on);
}

const DOES = {
  next: () => go(1),
  previous: () => go(-1),
  accept: () => decide("accept"),
  reject: () => decide("reject"),
  undecided: () => decide("undecided"),
  boxes,
};
const KEYS = { j: "next", ArrowRight: "next", k: "previous", ArrowLeft: "previous", a: "accept", r: "reject", u: "undecided", b: "boxes" };

// One thing after the other: a key held down decides each row once, in the order pressed.
let last = Promise.resolve();
function then(work) {
  last = last.then(work).catch((error) => say(`That did not work: ${error.message}`));
}

for (const [name, work] of Object.entries(DOES)) at(name).addEventListener("click", () => then(work));
at("filters").addEventListener("change", () => then(filter));
at("filters").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (typing || !at("keys").checked || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!KEYS[letter] || (event.repeat && !["next", "previous"].includes(KEYS[letter]))) return;
  event.preventDefault();
  then(DOES[KEYS[letter]]);
});
then(filter);
