import { zlibSync } from 'fflate';
import { concat, type HostileDocument, latin1 } from '../document.ts';

/** An indirect object: its source, or a stream with the entries of its dictionary. */
export type PdfObject = string | PdfStream;

export interface PdfStream {
  entries: string;
  data: string | Uint8Array;
}

/** Number of the first object that a page can bring along. */
export const FIRST_OBJECT = 5;

export const reference = (number: number) => `${number} 0 R`;

/** A stream whose data is compressed. */
export function compressed(entries: string, data: string | Uint8Array): PdfStream {
  const bytes = typeof data === 'string' ? latin1(data) : data;
  return { entries: `${entries} /Filter /FlateDecode`, data: zlibSync(bytes) };
}

/** A form XObject of 612 by 792 points. */
export const form = (data: string, resources = '', entries = ''): PdfStream =>
  compressed(
    `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${resources} >> ${entries}`,
    data,
  );

export interface HostilePage {
  content: string | Uint8Array;
  /** Entries of the page's resource dictionary. */
  resources?: string;
  /** Further objects; the first one has the number 5. */
  objects?: PdfObject[];
  width?: number;
  height?: number;
  /** Further entries of the page. */
  entries?: string;
}

/** A PDF of one page. */
export function onePage(page: HostilePage): Uint8Array {
  const { content, resources = '', objects = [], width = 612, height = 792, entries = '' } = page;
  const font = '/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  const fonts = resources.includes('/Font') ? '' : `/Font << ${font} >>`;
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << ${fonts} ${resources} >> ${entries} >>`,
    compressed('', content),
    ...objects,
  ]);
}

/** Writes objects as numbers 1, 2, ...; the first is the catalog. */
export function writePdf(objects: PdfObject[], trailer = ''): Uint8Array {
  const parts: (Uint8Array | string)[] = ['%PDF-1.7\n'];
  let length = parts[0]!.length;
  const push = (part: Uint8Array | string) => {
    parts.push(part);
    length += part.length;
  };
  const offsets = objects.map((object, index) => {
    const at = length;
    push(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') push(object);
    else {
      push(`<< ${object.entries} /Length ${object.data.length} >>\nstream\n`);
      push(object.data);
      push('\nendstream');
    }
    push('\nendobj\n');
    return at;
  });
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`);
  push(`trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  return concat(parts);
}

/** Words that a reader must still find when drawing the page is given up. */
export const LEGIBLE = 'Legible words';

export const legible = `BT /F1 12 Tf 72 700 Td (${LEGIBLE}) Tj ET\n`;

/** Describes a hostile page that also has legible words. */
export const hostilePage = (name: string, page: () => HostilePage): HostileDocument => ({
  name,
  file: 'hostile.pdf',
  bytes: () => {
    const made = page();
    const content =
      typeof made.content === 'string' ? legible + made.content : concat([legible, made.content]);
    return onePage({ ...made, content });
  },
});
