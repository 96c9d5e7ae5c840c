import type { OoxmlPackage } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Run } from '#src/formats/shared/flow/runs.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { scanXml } from '#src/text-formats/xml.ts';
import { builtInFormat } from '../shared/sheets/cell-format.ts';

export interface SheetEntry {
  name: string;
  part: string | undefined;
  hidden: boolean;
}

export interface Workbook {
  sheets: SheetEntry[];
  date1904: boolean;
  names: { name: string; formula: string; sheet?: number | undefined }[];
}

/** Removes the namespace prefix from an XML name. Some programs add a prefix to every name. */
export const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Reads the sheets of a workbook in tab order, and its defined names. */
export function readWorkbook(opened: OoxmlPackage): Workbook {
  const relationships = opened.relationships(opened.main);
  const workbook: Workbook = { sheets: [], date1904: false, names: [] };
  let named: Workbook['names'][number] | undefined;
  scanXml(opened.archive.text(opened.main) ?? '', {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'workbookPr') workbook.date1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (local === 'definedName' && attributes.name) {
        const { name, localSheetId } = attributes;
        named = { name, formula: '', sheet: localSheetId === undefined ? undefined : Number(localSheetId) };
        workbook.names.push(named);
      }
      if (local !== 'sheet') return;
      const related = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      workbook.sheets.push({
        name: attributes.name ?? `Sheet ${workbook.sheets.length + 1}`,
        part: relationships.get(related ?? '')?.target,
        hidden: attributes.state === 'hidden' || attributes.state === 'veryHidden',
      });
    },
    text(text) {
      if (named) named.formula += text;
    },
    close(name) {
      if (localName(name) === 'definedName') named = undefined;
    },
  });
  return workbook;
}

/** Positions of the text of cells below or above its line, by their names in the file. */
export const VERTICAL_POSITIONS: Record<string, Run['script']> = { subscript: 'sub', superscript: 'super' };

export interface SharedStrings {
  strings: string[];
  /** Runs of the texts that have subscripts or superscripts, by index. */
  richStrings: Map<number, Run[]>;
}

/** Reads the texts that several cells share, by index. Phonetic hints of East Asian text are left out. */
export function readSharedStrings(source: string | undefined): SharedStrings {
  const shared: SharedStrings = { strings: [], richStrings: new Map() };
  let runs: Run[] = [];
  let script: Run['script'];
  let inText = false;
  let phonetic = 0;
  scanXml(source ?? '', {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'si') runs = [];
      else if (local === 'r') script = undefined;
      else if (local === 'rPh') phonetic++;
      else if (local === 't') inText = true;
      else if (local === 'vertAlign') script = getOwn(VERTICAL_POSITIONS, attributes.val ?? '');
    },
    text(text) {
      if (inText && phonetic === 0) runs.push({ text, script });
    },
    close(name) {
      const local = localName(name);
      if (local === 'si') {
        if (runs.some((run) => run.script !== undefined)) shared.richStrings.set(shared.strings.length, runs);
        shared.strings.push(runs.map((run) => run.text).join(''));
        script = undefined;
      } else if (local === 'rPh') phonetic--;
      else if (local === 't') inText = false;
    },
  });
  return shared;
}

/**
 * Maximum length of a number format in characters, which Excel does not exceed. A longer format would be
 * repeated with every number that uses it.
 */
const MAX_FORMAT_LENGTH = 255;

const shortFormat = (code = '') => (code.length > MAX_FORMAT_LENGTH ? 'General' : code);

/** Returns the number format of each cell style of the workbook. */
export function readFormats(source: string | undefined): string[] {
  const custom = new Map<number, string>();
  const formats: string[] = [];
  let inCellFormats = false;
  scanXml(source ?? '', {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'numFmt') custom.set(Number(attributes.numFmtId), shortFormat(attributes.formatCode));
      else if (local === 'cellXfs') inCellFormats = true;
      else if (local === 'xf' && inCellFormats) {
        const id = Number(attributes.numFmtId ?? 0);
        formats.push(custom.get(id) ?? builtInFormat(id) ?? 'General');
      }
    },
    text() {},
    close(name) {
      if (localName(name) === 'cellXfs') inCellFormats = false;
    },
  });
  return formats;
}
