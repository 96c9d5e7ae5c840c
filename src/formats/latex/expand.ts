import { findHiddenBranches } from './conditionals.ts';
import { type Definitions, isDefinition, type Macro, readDefinition } from './definitions.ts';
import { type Frame, Source } from './source.ts';

export interface ExpandedLatex {
  /** The document without comments, definitions and uses of its own macros. */
  text: string;
  /** Texts that are shown as they are. The document refers to them by index, between two marks. */
  verbatims: Verbatim[];
  theorems: ReadonlyMap<string, string>;
  /** True if some macros were not replaced because replacing them needs too much work. */
  isIncomplete: boolean;
}

export interface Verbatim {
  text: string;
  language: string;
  isInline: boolean;
}

export const VERBATIM_START = '\ue010';
export const VERBATIM_END = '\ue011';

/** Name of the environments that the document defines. They limit changes of the style. */
export const OWN_ENVIRONMENT = '\\own';

const VERBATIM_ENVIRONMENTS = new Set(
  'verbatim verbatim* Verbatim BVerbatim LVerbatim lstlisting minted alltt listing filecontents filecontents* comment'.split(
    ' ',
  ),
);
const ADDRESSES = /^(?:url|href|path|nolinkurl)(?![a-zA-Z@])/;
const HIDDEN_ENVIRONMENTS = /^(?:comment|filecontents\*?)$/;
/** Work for replacing macros: a number of characters, and a multiple of the length of the document. */
const FREE_WORK = 500_000;
const WORK_PER_CHARACTER = 8;

/** Replaces the macros that a LaTeX document defines, and removes its comments. */
export function expandLatex(latex: string): ExpandedLatex {
  return new Expander(latex.replace(/[\ue010\ue011]/g, '')).run();
}

class Expander {
  readonly #source: Source;
  readonly #definitions: Definitions = { macros: new Map(), environments: new Map(), theorems: new Map() };
  readonly #verbatims: Verbatim[] = [];
  readonly #out: string[] = [];
  readonly #missing = new WeakMap<Frame, Set<string>>();
  readonly #branches = new WeakMap<Frame, ReadonlyMap<number, number>>();

  constructor(latex: string) {
    this.#source = new Source(latex, FREE_WORK + latex.length * WORK_PER_CHARACTER);
  }

  run(): ExpandedLatex {
    for (let frame = this.#source.frame; frame; frame = this.#source.frame) {
      const { text, at } = frame;
      const special = findSpecial(text, at);
      if (special > at) this.#out.push(text.slice(at, special));
      frame.at = special;
      if (text[special] === '%') frame.at = skipComment(text, special);
      else if (text[special] === '\\') this.#readCommand(frame);
    }
    return {
      text: this.#out.join(''),
      verbatims: this.#verbatims,
      theorems: this.#definitions.theorems,
      isIncomplete: this.#source.isLimited,
    };
  }

  #readCommand(frame: Frame): void {
    const near = frame.text.slice(frame.at + 1, frame.at + 101);
    const name = /^(?:[a-zA-Z@]+|[\s\S])/.exec(near)?.[0] ?? '';
    const after = frame.at + 1 + name.length;
    frame.at = after;
    if (ADDRESSES.test(near)) this.#readAddress(frame, name);
    else if (name === 'verb' || name === 'lstinline') this.#readInlineVerbatim(frame, name);
    else if (name === 'iffalse') frame.at = this.#findBranchEnd(frame, after);
    else if (name === 'begin' || name === 'end') this.#readEnvironment(frame, name);
    else if (isDefinition(name)) readDefinition(name, this.#source, this.#definitions);
    else {
      const macro = this.#definitions.macros.get(name);
      if (!macro || !this.#insert(macro)) this.#out.push(`\\${name}`);
      else if (frame.text[frame.at] === ' ' && macro.argumentCount === 0) frame.at++;
    }
  }

  /** Puts the body of a macro with its arguments before the rest of the document. */
  #insert(macro: Macro): boolean {
    const values: string[] = [];
    for (let index = 0; index < macro.argumentCount; index++) {
      const isOptional = index === 0 && macro.optional !== undefined;
      const value = isOptional ? (this.#source.readOption() ?? macro.optional) : this.#source.readArgument();
      if (value === undefined && this.#source.isLimited) return false;
      values.push(value ?? '');
    }
    const { body: template, insertions } = macro;
    const most = values.reduce((longest, value) => Math.max(longest, value.length), 0);
    if (!this.#source.canAfford(2 * template.length + insertions * most)) return false;
    const body = values.length === 0 ? template : fillBody(template, values);
    const { frame } = this.#source;
    const isApart =
      !frame || !/[a-zA-Z]/.test(frame.text[frame.at] ?? '') || !/\\[a-zA-Z@]+$/.test(body.slice(-60));
    return this.#source.push(isApart ? body : `${body} `, template.length);
  }

  #readEnvironment(frame: Frame, command: string): void {
    const name = /^[ \t]{0,20}\{([^{}\\\n]{1,60})\}/.exec(frame.text.slice(frame.at, frame.at + 90));
    const environment = this.#definitions.environments.get(name?.[1] ?? '');
    if (!name) this.#out.push(`\\${command}`);
    else if (command === 'begin' && VERBATIM_ENVIRONMENTS.has(name[1]!) && !environment) {
      this.#readVerbatim(frame, name[1]!, name[0].length);
    } else if (environment) {
      frame.at += name[0].length;
      if (command === 'begin') {
        this.#out.push(`\\begin{${OWN_ENVIRONMENT}}`);
        this.#insert(environment);
      } else this.#source.push(`${environment.end ?? ''}\\end{${OWN_ENVIRONMENT}}`);
    } else {
      frame.at += name[0].length;
      this.#out.push(`\\${command}{${name[1]}}`);
    }
  }

  #readVerbatim(frame: Frame, name: string, skipped: number): void {
    const start = frame.at + skipped;
    const mark = `\\end{${name}}`;
    const end = this.#find(frame, mark, start);
    if (end < 0) {
      frame.at = start;
      return;
    }
    frame.at = end + mark.length;
    if (HIDDEN_ENVIRONMENTS.test(name)) return;
    const body = frame.text.slice(start, end);
    const head =
      /^[ \t]{0,20}(?:\[([^\]\n]{0,500})\])?[ \t]{0,20}(?:\{([^{}\n]{0,50})\})?[ \t]{0,20}(?=\n|$)/.exec(
        body,
      );
    const option = /language=\{?(?:\[[^\]]{0,50}\])?([\w+#-]{1,30})/.exec(head?.[1] ?? '')?.[1];
    const language = name === 'minted' ? head?.[2] : option;
    this.#keep({
      text: body.slice(head?.[0].length ?? 0),
      language: (language ?? '').toLowerCase(),
      isInline: false,
    });
  }

  #readInlineVerbatim(frame: Frame, name: string): void {
    const near = frame.text.slice(frame.at, frame.at + 2000);
    const found = /^\*?(?:\[[^\]\n]{0,200}\])?/.exec(near);
    const start = found?.[0].length ?? 0;
    const open = near[start] ?? '';
    const end = near.indexOf(open === '{' ? '}' : open, start + 1);
    const text = near.slice(start + 1, end);
    if (/[\s\w]/.test(open) || end < 0 || text.includes('\n')) {
      this.#out.push(name === 'verb' ? '' : ' ');
      return;
    }
    frame.at += end + 1;
    this.#keep({ text, language: '', isInline: true });
  }

  /** Copies an address as it is, because a percent sign in it does not begin a comment. */
  #readAddress(frame: Frame, name: string): void {
    const address =
      /^\s{0,20}\{[^{}\n]{0,2000}\}/.exec(frame.text.slice(frame.at, frame.at + 2030))?.[0] ?? '';
    frame.at += address.length;
    this.#out.push(`\\${name}${address}`);
  }

  #keep(verbatim: Verbatim): void {
    this.#out.push(`${VERBATIM_START}${this.#verbatims.length}${VERBATIM_END}`);
    this.#verbatims.push(verbatim);
  }

  /** Returns the position after the branch that `\iffalse` hides, or `from` if the branch has no end. */
  #findBranchEnd(frame: Frame, from: number): number {
    let branches = this.#branches.get(frame);
    if (!branches) {
      branches = findHiddenBranches(frame.text);
      this.#branches.set(frame, branches);
    }
    return branches.get(from) ?? from;
  }

  /** Finds a mark in a text. A mark that is missing in the rest of the text is looked for only once. */
  #find(frame: Frame, mark: string, from: number): number {
    const missing = this.#missing.get(frame) ?? new Set();
    if (missing.has(mark)) return -1;
    const found = frame.text.indexOf(mark, from);
    if (found < 0) this.#missing.set(frame, missing.add(mark));
    return found;
  }
}

/** Replaces the parameters of a macro. A command that stands directly before a letter is kept apart from it. */
function fillBody(body: string, values: readonly string[]): string {
  return body.replace(/(\\[a-zA-Z@]{1,60})?#([1-9])/g, (_, command: string | undefined, digit: string) => {
    const value = values[Number(digit) - 1] ?? '';
    return (command ?? '') + (command && /^[a-zA-Z]/.test(value) ? ' ' : '') + value;
  });
}

function findSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '\\' || text[at] === '%') return at;
  return text.length;
}

/** Returns the position after a comment, its line end and the indentation of the next line. */
function skipComment(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  if (newline < 0) return text.length;
  let at = newline + 1;
  while (text[at] === ' ' || text[at] === '\t') at++;
  // An empty line after a comment still ends the paragraph.
  return text[at] === '\n' ? newline : at;
}
