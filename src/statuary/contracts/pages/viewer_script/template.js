// Renders the pages' own templates in the browser: `contracts/pages/viewer.py` writes them as trees (`template_trees.py`).
//
// Nothing is parsed as HTML but the text of templates. A value becomes a text node, a part of an attribute, or nodes
// that were made here, so that no text of a record can become markup.

const SVG = "http://www.w3.org/2000/svg";
const EMPTY = new Set(["br", "hr", "img", "input", "link", "meta", "use", "rect", "path"]);
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };

const decoded = (text) =>
  text.replace(
    /&(?:#(\d+)|(\w+));/g,
    (whole, number, name) => number ? String.fromCodePoint(Number(number)) : ENTITIES[name] ?? whole,
  );

/** A text with marks in it: strings and nodes. */
export class Pieces {
  constructor(pieces) {
    this.pieces = pieces;
  }
}

/** Makes nodes of the text of a template and of values, in their order. */
class Writer {
  constructor() {
    this.fragment = document.createDocumentFragment();
    this.open = [this.fragment];
    this.place = "text"; // or "tag", "name" of an attribute, "value"
    this.attribute = "";
    this.content = "";
  }

  get inner() {
    return this.open.at(-1);
  }

  /** Writes the text of a template. */
  markup(html) {
    for (let at = 0; at < html.length;) at = STEPS[this.place](this, html, at);
  }

  add(content) {
    if (content) this.inner.append(content);
  }

  /** Writes a value. */
  value(value) {
    if (value === null || value === undefined) return;
    if (this.place === "text") {
      if (value instanceof Pieces) {
        this.inner.append(...value.pieces.map((piece) => piece?.cloneNode?.(true) ?? piece));
      } else if (value instanceof Node) this.inner.append(value);
      else this.add(String(value));
    } else if (this.place === "value") this.content += plain(value);
    else if (this.place === "name" && /^[\w-]+$/.test(value)) this.attribute += value;
    else throw new Error(`a value where a template has ${this.place}`);
  }
}

/** What the text of a template is where a writer is; each returns where it goes on. */
const STEPS = {
  text(writer, html, at) {
    const tag = html.indexOf("<", at);
    writer.add(decoded(html.slice(at, tag < 0 ? undefined : tag)));
    if (tag < 0) return html.length;
    const [whole, closing, name] = /^<(\/?)([\w-]+)/.exec(html.slice(tag)) ?? [];
    if (!whole) throw new Error(`no tag: ${html.slice(tag, tag + 20)}`);
    if (closing) {
      writer.open.pop();
      return html.indexOf(">", tag) + 1;
    }
    const isSvg = name === "svg" || writer.inner.namespaceURI === SVG;
    writer.element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
    writer.place = "tag";
    return tag + whole.length;
  },

  tag(writer, html, at) {
    if (/[\s/]/.test(html[at])) return at + 1;
    if (html[at] !== ">") {
      writer.attribute = "";
      writer.place = "name";
      return at;
    }
    writer.inner.append(writer.element);
    if (!EMPTY.has(writer.element.localName)) writer.open.push(writer.element.content ?? writer.element);
    writer.place = "text";
    return at + 1;
  },

  name(writer, html, at) {
    const [part] = /^[^\s=>/]*/.exec(html.slice(at));
    writer.attribute += part;
    const next = html[at + part.length];
    if (next === undefined) return html.length;
    if (next === "=") {
      writer.content = "";
      writer.place = "value";
      return at + part.length + 2;
    }
    writer.element.setAttribute(writer.attribute, "");
    writer.place = "tag";
    return at + part.length;
  },

  value(writer, html, at) {
    const end = html.indexOf('"', at);
    writer.content += decoded(html.slice(at, end < 0 ? undefined : end));
    if (end < 0) return html.length;
    writer.element.setAttribute(writer.attribute, writer.content);
    writer.place = "tag";
    return end + 1;
  },
};

/** The text of a value. */
function plain(value) {
  if (value instanceof Pieces) return value.pieces.map((piece) => piece.textContent ?? piece).join("");
  return value instanceof Node ? value.textContent : String(value);
}

const isTrue = (value) =>
  Array.isArray(value) ? value.length > 0 : value instanceof Pieces ? value.pieces.length > 0 : Boolean(value);

const has = (container, item) =>
  Array.isArray(container) ? container.includes(item) : Object.hasOwn(container ?? {}, item);

/** A value by name: what is a method in Python is one here. */
function member(value, name) {
  if (typeof value === "string") return name === "startswith" ? (start) => value.startsWith(start) : undefined;
  return value === null || value === undefined || !(Object.hasOwn(value, name) || typeof value === "function")
    ? undefined
    : value[name];
}

const FILTERS = {
  length: (value) => value.length,
  list: (value) => value,
  join: (value, between) => value.join(between),
  selectattr: (value, name) => value.filter((one) => isTrue(member(one, name))),
  rejectattr: (value, name) => value.filter((one) => !isTrue(member(one, name))),
};

const COMPARISONS = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  gt: (a, b) => a > b,
  lteq: (a, b) => a <= b,
  gteq: (a, b) => a >= b,
  in: (a, b) => has(b, a),
  notin: (a, b) => !has(b, a),
};

/** The templates of a site. */
export class Templates {
  /**
   * @param trees the bodies by template, and `macros`: name, parameters and body
   * @param globals what every template can use
   */
  constructor(trees, globals) {
    this.trees = trees;
    this.globals = globals;
    for (const [name, [parameters, body]] of Object.entries(trees.macros)) {
      globals[name] = (...given) =>
        this.rendered(body, { ...Object.fromEntries(parameters.map((one, at) => [one, given[at]])) });
    }
  }

  /** The nodes of a template. */
  render(name, values) {
    Object.assign(this.globals, values);
    return this.rendered(this.trees.bodies[name], {});
  }

  rendered(body, scope) {
    const writer = new Writer();
    this.run(body, Object.setPrototypeOf(scope, this.globals), writer);
    return writer.fragment;
  }

  run(body, scope, writer) {
    for (const statement of body) {
      const [kind, ...parts] = statement;
      if (typeof statement === "string") writer.markup(statement);
      else if (!parts.length) writer.value(this.of(kind, scope));
      else this[`_${kind}`](parts, scope, writer);
    }
  }

  _if([test, body, others], scope, writer) {
    this.run(isTrue(this.of(test, scope)) ? body : others, scope, writer);
  }

  _for([targets, list, body, others], scope, writer) {
    const items = this.of(list, scope) ?? [];
    items.forEach((item, at) => {
      const inner = Object.create(scope);
      inner.loop = { index: at + 1, index0: at, first: at === 0, last: at === items.length - 1 };
      if (targets.length === 1) inner[targets[0]] = item;
      else {targets.forEach((name, place) => {
          inner[name] = item[place];
        });}
      this.run(body, inner, writer);
    });
    if (!items.length) this.run(others, scope, writer);
  }

  _set([target, name, expression], scope) {
    const value = this.of(expression, scope);
    if (name === null) scope[target] = value;
    else scope[target][name] = value;
  }

  _include([name], scope, writer) {
    this.run(this.trees.bodies[typeof name === "string" ? name : this.of(name, scope)] ?? [], scope, writer);
  }

  of(expression, scope) {
    if (typeof expression === "string") {
      const [name, ...attributes] = expression.split(".");
      return attributes.reduce(member, scope[name]);
    }
    const [kind, ...parts] = expression;
    if (!parts.length) return kind;
    const value = (part) => this.of(part, scope);
    switch (kind) {
      case "attr":
        return member(value(parts[0]), parts[1]);
      case "item": {
        const [container, key] = [value(parts[0]), value(parts[1])];
        return Array.isArray(container) ? container.at(key) : member(container, key);
      }
      case "slice":
        return value(parts[0])?.slice(
          ...parts.slice(1).map((part) => part && value(part)).map((one) => one ?? undefined),
        );
      case "list":
        return parts[0].map(value);
      case "call": {
        const [called, given, named = {}] = parts;
        const values = Object.fromEntries(Object.entries(named).map(([name, part]) => [name, value(part)]));
        return value(called)(...given.map(value), ...(Object.keys(values).length ? [values] : []));
      }
      case "filter":
        return FILTERS[parts[0]](value(parts[1]) ?? [], ...parts[2].map(value));
      case "none":
        return (value(parts[0]) ?? null) === null;
      case "not":
        return !isTrue(value(parts[0]));
      case "and": {
        const first = value(parts[0]);
        return isTrue(first) ? value(parts[1]) : first;
      }
      case "or": {
        const first = value(parts[0]);
        return isTrue(first) ? first : value(parts[1]);
      }
      case "cat":
        return parts[0].map((part) => plain(value(part))).join("");
      case "choice":
        return isTrue(value(parts[0])) ? value(parts[1]) : parts[2] && value(parts[2]);
      case "compare":
        return COMPARISONS[parts[1]](value(parts[0]), value(parts[2]));
      default:
        throw new Error(`unknown expression ${kind}`);
    }
  }
}

/** A text whose placeholders are filled with nodes. */
export function filledWithNodes(text, values) {
  const parts = text.split(/\{(\w+)\}/);
  return new Pieces(parts.map((part, at) => at % 2 ? values[part] ?? "" : part).filter((part) => part !== ""));
}
