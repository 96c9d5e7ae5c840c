import { Parser } from 'htmlparser2';
import { ParseError } from '#src/documents/errors.ts';

/**
 * An XML or HTML element with its children in order. Texts among the children are plain strings. Names keep
 * their namespace prefix.
 */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
}
export type XmlNode = XmlElement | string;

const MAX_DEPTH = 256;
/**
 * Maximum number of open elements in a document. With more open elements, unmatched closing tags would take
 * quadratic time in the parser.
 */
const MAX_OPEN_ELEMENTS = 4096;
/**
 * Maximum number of elements and texts in a tree. A tree of this size took 80 MiB of memory (`npm run
 * bench:parse-limits`).
 */
const MAX_NODES = 300_000;
const MAX_XML_CHARACTERS = 32 * 1024 * 1024;

/** Empty attributes object that all elements without attributes share. Most elements have no attributes. */
const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});

function hasAttributes(attributes: Record<string, string>): boolean {
  for (const _ in attributes) return true;
  return false;
}

export interface XmlEvents {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
}

function createDepthError(): ParseError {
  return new ParseError('FILE_IS_BROKEN', `The file has more than ${MAX_OPEN_ELEMENTS} nested elements.`);
}

/**
 * Streams XML as events. Entities declared by the document are never expanded, and nothing is fetched. Only
 * the five predefined entities and character references are decoded.
 */
export function scanXml(source: string, events: XmlEvents): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_OPEN_ELEMENTS) throw createDepthError();
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
  /** True to apply the rules of HTML: void elements, implied end tags and lower-case names. */
  html?: boolean;
  /** True to also accept CDATA sections and self-closing elements, as in XML. Used together with `html`. */
  cdata?: boolean;
  /** True to remove namespace prefixes from names, for formats whose writers use different prefixes. */
  local?: boolean;
}

/**
 * Parses markup into a tree of at most 256 levels. Deeper elements become siblings, so that recursive readers
 * cannot overflow the stack. The returned root has an empty name.
 */
export function parseMarkup(source: string, options: MarkupOptions = {}): XmlElement {
  if (source.length > MAX_XML_CHARACTERS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The markup of the file has ${source.length} characters. The limit is ${MAX_XML_CHARACTERS}.`,
    );
  }
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const stack: XmlElement[] = [root];
  let depth = 0;
  let nodes = 0;
  const add = (node: XmlNode) => {
    if (++nodes > MAX_NODES) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `The file contains more than ${MAX_NODES} elements and texts.`,
      );
    }
    stack[stack.length - 1]!.children.push(node);
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_OPEN_ELEMENTS) throw createDepthError();
        const local = options.local ? name.slice(name.indexOf(':') + 1) : name;
        const element: XmlElement = {
          name: local,
          attributes: hasAttributes(attributes) ? attributes : NO_ATTRIBUTES,
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
          // A growing array reserves spare capacity. Copying the array releases the spare memory.
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

/** Returns the root element of an XML text, or `undefined` if there is none. */
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

/**
 * Returns the element at the end of a path of child names, or `undefined` if there is none. At each level,
 * the first match is used.
 */
export function child(parent: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let element = parent;
  for (const name of path) {
    element = element?.children.find(
      (node): node is XmlElement => typeof node !== 'string' && node.name === name,
    );
  }
  return element;
}

/**
 * Returns all descendants of an element that have the given name, in document order. Elements inside a match
 * are not searched.
 */
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

export function getTextContent(node: XmlNode | undefined): string {
  const parts: string[] = [];
  if (node !== undefined) collectText(node, parts);
  return parts.join('');
}

function collectText(node: XmlNode, parts: string[]): void {
  if (typeof node === 'string') parts.push(node);
  else for (const inner of node.children) collectText(inner, parts);
}
