import type { Run } from '#src/formats/shared/flow/runs.ts';
import { toFormulaRun } from '#src/formats/shared/math/formula.ts';
import { readOmml } from '#src/formats/shared/math/omml/index.ts';
import { elements, type XmlElement } from '#src/text-formats/xml.ts';

/** Maximum number of groups inside each other that have elements of their own. */
const MAX_DEPTH = 60;
/** Maximum length of the value of a property, such as the character of a bracket. */
const MAX_VALUE = 16;

/** Control words of runs that have numbers as values, with the value of Office MathML for each number. */
const RUN_PROPERTIES: Record<string, readonly string[]> = {
  mscr: ['roman', 'script', 'fraktur', 'double-struck', 'sans-serif', 'monospace'],
  msty: ['p', 'b', 'i', 'bi'],
  mnor: ['off', 'on'],
};

interface Group {
  element: XmlElement;
  /** Element around the element of the group. */
  outer: XmlElement | undefined;
  /** False if no control word has named the group, so that it belongs to the element around it. */
  isNamed: boolean;
}

const createElement = (name: string, value?: string): XmlElement => ({
  name,
  attributes: value === undefined ? {} : { 'm:val': value },
  children: [],
});

const isProperties = (element: XmlElement | undefined) => element?.name.endsWith('Pr') ?? false;

/**
 * Collects a formula of an RTF file. The groups of a formula have the names of Office MathML elements with an
 * "m" in front, so the groups are read as such elements.
 */
export class RtfFormula {
  readonly #root = createElement('m:oMath');
  readonly #groups: Group[] = [{ element: this.#root, outer: undefined, isNamed: true }];
  readonly #texts: string[] = [];

  openGroup(): void {
    this.#groups.push({ ...this.#group, isNamed: false });
  }

  closeGroup(): void {
    if (this.#groups.length > 1) this.#groups.pop();
  }

  /** Reads a control word. Returns false if the word does not belong to the formula. */
  addWord(word: string, value: number | undefined): boolean {
    if (!/^m[A-Za-z]+$/.test(word)) return false;
    const group = this.#group;
    const choices = Object.hasOwn(RUN_PROPERTIES, word) ? RUN_PROPERTIES[word] : undefined;
    const setting = choices?.[value ?? 1];
    const name = `m:${word.slice(1)}`;
    if (setting) addRunProperty(group.element, createElement(name, setting));
    else if (!choices && word !== 'mmath' && !group.isNamed && this.#groups.length < MAX_DEPTH) {
      const element = createElement(name);
      group.element.children.push(element);
      this.#groups[this.#groups.length - 1] = { element, outer: group.element, isNamed: true };
    }
    return true;
  }

  addText(text: string): void {
    const { element, outer } = this.#group;
    if (isProperties(element) || isProperties(outer)) {
      const before = element.attributes['m:val'] ?? '';
      element.attributes['m:val'] = (before + text).trim().slice(0, MAX_VALUE);
      return;
    }
    this.#texts.push(text);
    const piece: XmlElement = { ...createElement('m:t'), children: [text] };
    element.children.push(element.name === 'm:r' ? piece : { ...createElement('m:r'), children: [piece] });
  }

  /** Returns the formulas as runs. A formula that cannot be read becomes ordinary text. */
  finish(): Run[] {
    const [first, ...others] = elements(this.#root);
    const isParagraph = first?.name === 'm:oMathPara' && others.length === 0;
    const formulas = readOmml(isParagraph ? first : this.#root);
    if (formulas.length > 0) return formulas.map(toFormulaRun);
    const text = this.#texts.join('');
    return text.trim() === '' ? [] : [{ text }];
  }

  get #group(): Group {
    return this.#groups.at(-1)!;
  }
}

function addRunProperty(run: XmlElement, property: XmlElement): void {
  const [first] = elements(run);
  if (first?.name === 'm:rPr') first.children.push(property);
  else run.children.unshift({ ...createElement('m:rPr'), children: [property] });
}
