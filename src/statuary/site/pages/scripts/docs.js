// Pages with a sidebar: the search over their sections, and the heading that is being read.

const MOST_HITS = 12;

function enableFinder(finder) {
  const [input, status, list] = ["input", "[role=status]", "ol"].map((name) => finder.querySelector(name));
  let search;
  const load = () =>
    search ??= Promise.all([import("./page-search.js"), fetch(finder.dataset.finder).then((response) => response.json())])
      .then(([{ createSearch }, sections]) => createSearch(sections));
  const show = async () => {
    if (!input.value.trim()) {
      list.replaceChildren();
      status.textContent = "";
      return;
    }
    const find = await load();
    const hits = find(input.value).slice(0, MOST_HITS);
    list.replaceChildren(...hits.map(([title, heading, path]) => {
      const link = document.createElement("a");
      link.href = finder.dataset.root + path;
      link.textContent = heading || title;
      if (heading) link.append(Object.assign(document.createElement("small"), { textContent: title }));
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    status.textContent = hits.length ? String(hits.length) : finder.dataset.none;
    status.classList.toggle("hidden-text", hits.length > 0);
  };
  input.addEventListener("focus", load, { once: true });
  input.addEventListener("input", show);
  finder.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    const target = { ArrowDown: links[place + 1], ArrowUp: place > 0 ? links[place - 1] : input }[event.key];
    if (target) {
      event.preventDefault();
      target.focus();
    } else if (event.key === "Enter" && place < 0) links[0]?.click();
    else if (event.key === "Escape") {
      input.value = "";
      show();
      input.focus();
    }
  });
}

for (const finder of document.querySelectorAll("[data-finder]")) enableFinder(finder);

// the heading that is being read is marked in the list of the page, or in the sidebar of the API
const links = new Map([...document.querySelectorAll(".toc a, .side a[href^='#']")].map((link) => [link.hash.slice(1), link]));
const targets = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
let marked;

function mark() {
  const limit = innerHeight / 4;
  const passed = targets.filter((target) => target.getBoundingClientRect().top < limit).at(-1) ?? targets[0];
  if (!passed || passed === marked) return;
  if (marked) links.get(marked.id).removeAttribute("aria-current");
  marked = passed;
  links.get(marked.id).setAttribute("aria-current", "true");
  const side = document.querySelector(".side");
  const link = links.get(marked.id);
  if (side?.contains(link) && side.scrollHeight > side.clientHeight) link.scrollIntoView({ block: "nearest" });
}

if (targets.length) {
  addEventListener("scroll", mark, { passive: true });
  mark();
}
// a type of the API that is linked to is opened
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.matches("details")) target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

// the page that is read is in view in a long sidebar
const side = document.querySelector(".side");
const current = side?.querySelector("[aria-current=page]");
if (current && side.scrollHeight > side.clientHeight) side.scrollTop = current.offsetTop - side.clientHeight / 3;
