import type { XmlElement, XmlNode } from '#src/text-formats/xml.ts';
import { hasText, isBlankNode, localName, make } from './build.ts';

/** Builds the HTML nodes for an element of a vocabulary. */
export type RuleFunction = (element: XmlElement, rewriter: Rewriter) => XmlNode[];

/**
 * Says how an element of a vocabulary is written as HTML. A string is the name of the HTML element, and '' drops
 * the element with its content.
 */
export type Rule = string | RuleFunction;

/** Rules by element name, with or without namespace prefix. Names with a prefix take precedence. */
export type Rules = Readonly<Record<string, Rule>>;

const INLINE_TARGETS = new Set('p span b i s a sub sup code li td th dt h1 h2 h3 h4 h5 h6'.split(' '));
const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});

/**
 * Rewrites the elements of an XML vocabulary as HTML, which the HTML converter then writes as blocks. Elements
 * without a rule keep their content: inside a line of text they become spans, elsewhere divisions.
 */
export class Rewriter {
  readonly #rules: ReadonlyMap<string, Rule>;
  #isInline = false;
  /** Heading level of the next section. */
  level = 1;
  /** True while the content of a displayed formula is rewritten. */
  isDisplay = false;
  /** Number of pictures that the document only refers to. */
  pictures = 0;
  /** Notes that stand inside the text. They are written after it. */
  readonly notes: XmlNode[][] = [];

  constructor(rules: Rules) {
    this.#rules = new Map(Object.entries(rules));
  }

  rewrite(node: XmlNode): XmlNode[] {
    if (typeof node === 'string') return [node];
    const rule = this.#rules.get(node.name) ?? this.#rules.get(localName(node.name));
    if (rule === '') return [];
    if (typeof rule === 'function') return rule(node, this);
    const name = rule ?? (this.#isInline ? 'span' : 'div');
    // Most elements are renamed in place, because a second tree would double the memory.
    node.children = this.children(node, INLINE_TARGETS.has(name));
    node.name = name;
    node.attributes = NO_ATTRIBUTES;
    return [node];
  }

  /** Rewrites the children of an element, except those in `omit`. */
  children(element: XmlElement, isInline = false, omit?: ReadonlySet<XmlNode>): XmlNode[] {
    const outer = this.#isInline;
    this.#isInline = isInline || hasText(element);
    const nodes: XmlNode[] = [];
    for (const node of element.children) {
      if (omit?.has(node)) continue;
      for (const written of this.rewrite(node)) nodes.push(written);
    }
    this.#isInline = outer;
    return nodes;
  }

  /** Rewrites the content of an element that stands inside a line of text. */
  inline(element: XmlElement): XmlNode[] {
    return this.children(element, true);
  }

  /** Rewrites nodes that stand inside a line of text. */
  inlineNodes(nodes: readonly XmlNode[]): XmlNode[] {
    return this.inline(make('', [...nodes]));
  }

  /** Builds a heading of the current level. Returns an empty list if it would be blank. */
  heading(...parts: (XmlElement | undefined)[]): XmlNode[] {
    const nodes: XmlNode[] = [];
    for (const part of parts) {
      if (!part || isBlankNode(part)) continue;
      if (nodes.length > 0) nodes.push(' ');
      for (const node of this.inline(part)) nodes.push(node);
    }
    return nodes.length === 0 ? [] : [make(`h${Math.min(6, this.level)}`, nodes)];
  }

  /**
   * Rewrites a section: the elements in `titles` become its heading, and its other content follows. Sections
   * inside get the next heading level.
   */
  section(element: XmlElement, titles: readonly (XmlElement | undefined)[]): XmlNode[] {
    const heading = this.heading(...titles);
    if (heading.length > 0) this.level++;
    const content = this.children(element, false, new Set(titles.filter((title) => title !== undefined)));
    if (heading.length > 0) this.level--;
    return [make('div', [...heading, ...content])];
  }
}
