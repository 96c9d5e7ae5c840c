import { Parser } from 'htmlparser2';
import { ParseError } from '#src/documents/errors.ts';

/** An element with its children in order; text is a plain string. Names keep their prefix. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
}
export type XmlNode = XmlElement | string;

const MAX_DEPTH = 256;
/** Beyond this a closing tag that matches nothing makes every tag quadratic in the parser. */
const MAX_OPEN = 4096;
/** Elements and texts of one tree: 300,000 of 75,000 short paragraphs took 80 MiB (npm run bench:parse-limits). */
const MAX_NODES = 300_000;
const MAX_XML_CHARACTERS = 32 * 1024 * 1024;

/** Most elements have no attributes: they share one empty record. */
const NONE: Record<string, string> = Object.freeze({});

function hasAny(attributes: Record<string, string>): boolean {
  for (const _ in attributes) return true;
  return false;
}

export interface XmlEvents {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
}

function tooDeep(): ParseError {
  return new ParseError('FILE_IS_BROKEN', 'The file is nested too deeply to be a document.');
}

/**
 * Streams XML as events. Entities that a document declares are never expanded and nothing is fetched: only
 * the five predefined entities and character references are known.
 */
export function scanXml(source: string, events: XmlEvents): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_OPEN) throw tooDeep();
        events.open(name, attributes);
      },
      ontext: (text) => events.text(text),
      onclosetag(name) {
        depth--;
        events.close(name);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(source);
}

export interface MarkupOptions {
  /** HTML's rules: void elements, implied end tags, names in lower case. */
  html?: boolean;
  /** Beside HTML's rules, sections of character data and elements that end where they begin, as XML has them. */
  cdata?: boolean;
  /** Drop name prefixes, for formats whose writers disagree on them. */
  local?: boolean;
}

/**
 * The document as a tree of at most 256 levels; deeper elements become siblings, so that no reader of the tree
 * can run out of stack. The returned root has no name.
 */
export function parseMarkup(source: string, options: MarkupOptions = {}): XmlElement {
  if (source.length > MAX_XML_CHARACTERS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The file holds ${source.length} characters of markup; the limit is ${MAX_XML_CHARACTERS}.`,
    );
  }
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const stack: XmlElement[] = [root];
  let depth = 0;
  let nodes = 0;
  const add = (node: XmlNode) => {
    if (++nodes > MAX_NODES) {
      throw new ParseError('DOCUMENT_TOO_LARGE', `The file holds more than ${MAX_NODES} elements and texts.`);
    }
    stack[stack.length - 1]!.children.push(node);
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_OPEN) throw tooDeep();
        const local = options.local ? name.slice(name.indexOf(':') + 1) : name;
        const element: XmlElement = {
          name: local,
          attributes: hasAny(attributes) ? attributes : NONE,
          children: [],
        };
        add(element);
        if (depth < MAX_DEPTH) stack.push(element);
      },
      ontext(text) {
        const siblings = stack[stack.length - 1]!.children;
        const previous = siblings.length - 1;
        if (typeof siblings[previous] === 'string') siblings[previous] += text;
        else add(text);
      },
      onclosetag() {
        if (depth < MAX_DEPTH && stack.length > 1) {
          const element = stack.pop()!;
          // An array that grew by pushing keeps room for sixteen more.
          element.children = element.children.slice();
        }
        depth--;
      },
    },
    {
      xmlMode: !options.html,
      decodeEntities: true,
      ...(options.cdata && { recognizeCDATA: true, recognizeSelfClosing: true }),
    },
  );
  parser.end(source);
  return root;
}

/** The first element of an XML text, or undefined when it has none. */
export function parseXml(source: string | undefined, options?: MarkupOptions): XmlElement | undefined {
  return source === undefined ? undefined : elements(parseMarkup(source, options))[0];
}

export function elements(parent: XmlElement | undefined, name?: string): XmlElement[] {
  if (!parent) return [];
  const found: XmlElement[] = [];
  for (const child of parent.children) {
    if (typeof child !== 'string' && (name === undefined || child.name === name)) found.push(child);
  }
  return found;
}

/** The first child at the end of a path of names. */
export function child(parent: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let element = parent;
  for (const name of path) {
    element = element?.children.find(
      (node): node is XmlElement => typeof node !== 'string' && node.name === name,
    );
  }
  return element;
}

/** All descendants of a name, in document order, not looking inside the ones found. */
export function descendants(parent: XmlElement | undefined, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  if (parent) collectDescendants(parent, name, found);
  return found;
}

function collectDescendants(parent: XmlElement, name: string, found: XmlElement[]): void {
  for (const node of parent.children) {
    if (typeof node === 'string') continue;
    if (node.name === name) found.push(node);
    else collectDescendants(node, name, found);
  }
}

export function textOf(node: XmlNode | undefined): string {
  const parts: string[] = [];
  if (node !== undefined) collectText(node, parts);
  return parts.join('');
}

function collectText(node: XmlNode, parts: string[]): void {
  if (typeof node === 'string') parts.push(node);
  else for (const inner of node.children) collectText(inner, parts);
}
