import type { DocumentMetadata } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import type { Run } from '#src/formats/shared/flow/runs.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { CodePageText, limitFallback } from './code-page-text.ts';
import { RtfFields } from './fields.ts';
import { RtfFormula } from './formulas.ts';
import { RtfHeadings } from './headings.ts';
import { RtfInformation } from './information.ts';
import { HexPicture } from './pictures.ts';
import {
  initialState,
  RecordedDeletions,
  type RtfState,
  SKIPPED_DESTINATIONS,
  SYMBOLS,
  setFormat,
} from './state.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';
import { RtfWriter } from './writer.ts';

const MAX_GROUPS = 1_000;
/** Maximum length of list labels and names. Longer ones would be searched again with each of their pieces. */
const MAX_NAME = 256;
/** Control words that start a formula. */
const FORMULAS = new Set(['mmath', 'moMath', 'moMathPara']);

/** Reads RTF into the flow. Text in bytes is decoded with the code page of its font. */
export class RtfReader {
  readonly #flow: Flow;
  readonly #plan: ParsePlan;
  readonly #writer: RtfWriter;
  readonly #stack: RtfState[] = [];
  readonly #bytes = new CodePageText();
  readonly #deletions = new RecordedDeletions();
  readonly #headings = new RtfHeadings();
  readonly #information = new RtfInformation();
  #state = initialState();
  #defaultFont = 0;
  #definedFont = 0;
  #starred = false;
  readonly #picture = new HexPicture();
  readonly #fields = new RtfFields();
  #formula = new RtfFormula();
  #note: Run[] = [];
  #annotation: Run[] = [];
  #annotationAuthor = '';
  /** True if the picture or text of the last shape was read, so that its replacement is not. */
  #hasReadShape = false;

  constructor(flow: Flow, plan: ParsePlan) {
    this.#flow = flow;
    this.#plan = plan;
    this.#writer = new RtfWriter(flow);
  }

  read(bytes: Uint8Array): DocumentMetadata {
    for (const token of rtfTokens(bytes)) this.#token(token);
    this.#flush();
    if (this.#state.destination === 'formula') this.#endFormula();
    this.#writer.finish();
    this.#deletions.report(this.#flow);
    return this.#information.metadata;
  }

  #token(token: RtfToken): void {
    if (token.type === 'text') this.#addBytes(token.bytes);
    else if (token.type === 'byte') this.#addBytes([token.value]);
    else if (token.type === 'open') this.#open();
    else if (token.type === 'close') this.#close();
    else if (token.type === 'binary') this.#image(token.bytes);
    else if (token.type === 'word') {
      this.#flush();
      this.#word(token.word, token.value);
    }
  }

  #open(): void {
    this.#flush();
    if (this.#stack.length >= MAX_GROUPS) {
      throw new ParseError('FILE_IS_BROKEN', `The file has more than ${MAX_GROUPS} nested groups.`);
    }
    this.#stack.push(this.#state);
    this.#state = { ...this.#state };
    if (this.#state.destination === 'formula') this.#formula.openGroup();
    this.#bytes.endFallback();
    this.#starred = false;
  }

  #close(): void {
    this.#flush();
    const ended = this.#state;
    this.#state = this.#stack.pop() ?? initialState();
    this.#bytes.endFallback();
    const left = ended.destination !== this.#state.destination;
    if (left && ended.destination === 'picture') {
      const bytes = this.#picture.take();
      if (bytes) this.#image(bytes);
    }
    if (left && ended.destination === 'headerFooter') {
      this.#writer.endParagraph();
      this.#writer.type = 'paragraph';
    }
    if (left && ended.destination === 'annotation') this.#endAnnotation();
    if (this.#state.destination === 'formula') this.#formula.closeGroup();
    else if (ended.destination === 'formula') this.#endFormula();
    if (ended.inBox && !this.#state.inBox) this.#writer.endBox();
    if (left && ended.destination === 'instruction') this.#fields.endInstruction();
  }

  #addBytes(bytes: ArrayLike<number>): void {
    this.#starred = false;
    this.#bytes.add(bytes);
    if (this.#bytes.isFull(this.#state.font)) this.#flush();
  }

  #flush(): void {
    const bytes = this.#bytes.takeBytes();
    if (!bytes) return;
    const { destination, font } = this.#state;
    if (destination === 'picture') this.#picture.add(bytes);
    else if (destination !== 'skip') this.#text(this.#bytes.decode(bytes, font));
  }

  #text(text: string): void {
    const { destination, infoField, bold, italic, strike, hidden, script, href } = this.#state;
    if (destination === 'info') this.#information.addText(infoField, text);
    else if (destination === 'instruction') this.#fields.addInstruction(text);
    else if (destination === 'formula') {
      if (!this.#deletions.add(text, this.#state.deleted)) this.#formula.addText(text);
    } else if (destination === 'styles') this.#headings.addName(text);
    else if (destination === 'listtext') {
      const { label = '' } = this.#writer.paragraph;
      if (label.length < MAX_NAME) this.#writer.paragraph.label = (label + text).trim().slice(0, MAX_NAME);
    } else if (destination === 'annotation') this.#addRun({ text });
    else if (destination === 'annotationAuthor') this.#annotationAuthor += text.slice(0, MAX_NAME);
    else if (destination === 'body' || destination === 'headerFooter' || destination === 'note') {
      if (hidden && this.#plan.layout.removeHidden) return;
      if (this.#deletions.add(text, this.#state.deleted)) return;
      const style = { bold: bold || undefined, italic: italic || undefined, strike: strike || undefined };
      this.#addRun({ text, ...style, script, href });
    }
  }

  #addRun(run: Run): void {
    const { destination } = this.#state;
    if (destination === 'note') this.#note.push(run);
    else if (destination === 'annotation') this.#annotation.push(run);
    else this.#writer.add(run);
  }

  #endFormula(): void {
    for (const run of this.#formula.finish()) this.#addRun(run);
  }

  #endAnnotation(): void {
    this.#writer.addComment({ author: this.#annotationAuthor.trim(), runs: this.#annotation });
    this.#annotation = [];
    this.#annotationAuthor = '';
  }

  #word(word: string, value: number | undefined): void {
    if (word === '*') {
      this.#starred = true;
      return;
    }
    const starred = this.#starred;
    this.#starred = false;
    if (this.#bytes.skipsSymbol(word)) return;
    if (this.#destination(word, value, starred)) return;
    if (this.#state.destination === 'skip') return;
    const symbol = SYMBOLS.get(word);
    if (symbol !== undefined) this.#text(symbol);
    else if (word === 'u' && value !== undefined) this.#unicode(value);
    else if (word === 'uc') this.#state.unicodeSkip = limitFallback(value);
    else if (this.#bytes.setPage(word, value)) return;
    else if (word === 'deff') this.#defaultFont = value ?? 0;
    else if (word === 'f') this.#font(value ?? 0);
    else if (word === 'fcharset') this.#charset(value ?? 0);
    else if (setFormat(this.#state, word, value)) {
      if (word === 'plain') this.#state.font = this.#defaultFont;
    } else if (this.#state.destination === 'info') {
      this.#information.addDatePart(this.#state.infoField, word, value);
    } else this.#layout(word, value);
  }

  #layout(word: string, value: number | undefined): void {
    const { destination } = this.#state;
    if (destination === 'styles') this.#headings.addWord(word, value);
    if ((destination === 'annotation' || destination === 'note') && word === 'par') this.#text('\n');
    if (destination !== 'body' && destination !== 'headerFooter') return;
    const writer = this.#writer;
    if (word === 'par' || word === '\n' || word === '\r') writer.endParagraph();
    else if (word === 'pard') writer.resetParagraph();
    else if (word === 'intbl') writer.paragraph.inTable = true;
    else if (word === 'cell' || word === 'nestcell') writer.endCell();
    else if (word === 'row' || word === 'nestrow') writer.endRow();
    else if (word === 'page') writer.pageBreak();
    else if (word === 's') writer.paragraph.heading = this.#headings.get(value ?? 0);
    else if (word === 'outlinelevel' && (value ?? 9) < 6) writer.paragraph.heading = (value ?? 0) + 1;
    else if (word === 'ilvl') writer.paragraph.level = Math.min(8, Math.max(0, value ?? 0));
  }

  /** Enters the destination that a control word opens. Returns true if the word was handled. */
  #destination(word: string, value: number | undefined, starred: boolean): boolean {
    const state = this.#state;
    if (state.destination === 'skip') return true;
    const enter = (destination: RtfState['destination']) => {
      state.destination = destination;
      return true;
    };
    if (SKIPPED_DESTINATIONS.has(word)) return enter('skip');
    if (state.destination === 'formula' && this.#formula.addWord(word, value)) return true;
    if (FORMULAS.has(word)) {
      this.#formula = new RtfFormula();
      this.#formula.openGroup();
      this.#formula.addWord(word, value);
      return enter('formula');
    }
    if (word === 'fonttbl') return enter('fonts');
    if (word === 'stylesheet') return enter('styles');
    if (word === 'info') return enter('info');
    if (state.destination === 'info' && /^(?:title|author|subject|creatim|revtim)$/.test(word)) {
      state.infoField = word;
      return true;
    }
    if (word === 'pict') return enter('picture');
    if (word === 'field') {
      this.#fields.startField();
      return true;
    }
    if (word === 'fldinst') {
      this.#fields.startInstruction();
      return enter('instruction');
    }
    if (word === 'fldrslt') {
      state.href = this.#fields.takeTarget();
      return true;
    }
    if (word === 'listtext' || word === 'pntext') return enter('listtext');
    if (/^(?:header|footer)[lrf]?$/.test(word))
      return this.#enterHeaderOrFooter(word.startsWith('header') ? 'header' : 'footer');
    if (word === 'footnote' && state.destination !== 'note') {
      if (state.destination !== 'body') return false;
      this.#note = this.#writer.startNote();
      return enter('note');
    }
    if (word === 'annotation' && state.destination !== 'annotation') return enter('annotation');
    if (word === 'atnauthor') return enter('annotationAuthor');
    return this.#enterShape(word) || (starred ? enter('skip') : false);
  }

  #enterShape(word: string): boolean {
    const state = this.#state;
    if (word === 'shppict') return true;
    if (word === 'shpinst' || word === 'sp') {
      if (word === 'shpinst') this.#hasReadShape = false;
      state.destination = 'shape';
    } else if (word === 'shptxt' && !state.inBox && state.destination === 'shape') {
      this.#hasReadShape = true;
      state.destination = 'body';
      state.inBox = true;
      this.#writer.startBox();
    } else if (word === 'shptxt' && state.inBox) state.destination = 'body';
    else if (word === 'shprslt' && this.#hasReadShape) state.destination = 'skip';
    else return false;
    return true;
  }

  #enterHeaderOrFooter(type: 'header' | 'footer'): boolean {
    const isHidden = type === 'header' ? this.#plan.layout.hideHeaders : this.#plan.layout.hideFooters;
    this.#state.destination = isHidden ? 'skip' : 'headerFooter';
    if (!isHidden) this.#writer.type = type;
    return true;
  }

  #unicode(value: number): void {
    const character = this.#bytes.readUnicode(value, this.#state.unicodeSkip);
    if (character !== '') this.#text(character);
  }

  #font(font: number): void {
    this.#state.font = font;
    if (this.#state.destination === 'fonts') this.#definedFont = font;
  }

  #charset(charset: number): void {
    if (this.#state.destination === 'fonts') this.#bytes.setCharset(this.#definedFont, charset);
  }

  #image(bytes: Uint8Array): void {
    if (this.#state.destination === 'shape') this.#hasReadShape = true;
    const run = this.#flow.image(bytes);
    if (run) this.#writer.add(run);
  }
}
