import { findLargestPicture } from '#src/formats/pdf/drawing/picture-sizes.ts';
import { OLE_SIGNATURE, oleStreamNames } from '#src/formats/shared/containers/ole.ts';
import { openZip } from '#src/formats/shared/containers/zip.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { tiffDirectories } from '#src/formats/tiff/directories.ts';
import { imageHeader } from '#src/images/header.ts';

/** Bytes of memory for each byte of XML: 95,000 cells of 4 MB of XML took 120 MiB, 75,000 paragraphs of 3 MB took 80. */
const PER_XML_BYTE = 24;
/** The same for the records of a legacy workbook, which are as small as the cells of one in XML. */
const PER_RECORD_BYTE = 24;
/** Text is held as bytes, as a string, and as the text and the Markdown of pages and blocks. */
const PER_TEXT_BYTE = 6;
/** The PDF engine has a copy of the file, and a page with its words and boxes beside it. */
const PER_PDF_BYTE = 2;
const PDF_PAGE_BYTES = 4 * 1024 * 1024;
/**
 * A scanned page is drawn to be read: the decoded picture, of one byte a pixel or three, is in the engine's memory
 * beside a strip of the page, and the page in gray outside of it.
 */
const PER_SCANNED_PIXEL = 3;
const MAX_SCANNED_BYTES = 36 * 1024 * 1024;
const STRIP_BYTES = 12 * 1024 * 1024;
/** Smaller pictures are figures, which are read one by one. */
const LEAST_SCANNED_PIXELS = 1_000_000;
/** Decoded pixels take four bytes, twice while they are converted. Larger pictures are made smaller in pieces. */
const PER_PIXEL = 8;
const MAX_HELD_PIXELS = 12_000_000;
/** Members of an archive are opened one after the other, and few of them stay open. */
const MAX_OPEN_MEMBERS = 48 * 1024 * 1024;

const XML_PART = /\.(?:xml|rels|x?html?|opf|ncx)$/i;

const startsWith = (bytes: Uint8Array, signature: readonly number[]) =>
  signature.every((byte, at) => bytes[at] === byte);

/**
 * Estimates how many bytes of memory a file takes while it is read, from its container alone: the directory of a zip, the
 * header of a picture. It unpacks nothing. A damaged file counts with its own bytes, and is refused when it is opened.
 */
export function estimateDecodedBytes(bytes: Uint8Array): number {
  try {
    return bytes.length + estimateContent(bytes);
  } catch {
    return bytes.length;
  }
}

function estimateContent(bytes: Uint8Array): number {
  if (startsWith(bytes, [0x50, 0x4b, 3, 4])) return estimateZip(bytes);
  if (startsWith(bytes, OLE_SIGNATURE)) {
    const isWorkbook = oleStreamNames(bytes).some((name) => /^(?:workbook|book)$/i.test(name));
    return bytes.length * (isWorkbook ? PER_RECORD_BYTE : PER_TEXT_BYTE);
  }
  if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46]))
    return bytes.length * PER_PDF_BYTE + PDF_PAGE_BYTES + estimateScan(findLargestPicture(bytes));
  if (startsWith(bytes, [0x49, 0x49, 42, 0]) || startsWith(bytes, [0x4d, 0x4d, 0, 42])) {
    const pages = tiffDirectories(bytes, new WorkBudget());
    return pages.reduce((most, { width, height }) => Math.max(most, estimatePicture(width, height)), 0);
  }
  const header = imageHeader(bytes);
  return header ? estimatePicture(header.width, header.height) : bytes.length * PER_TEXT_BYTE;
}

function estimateScan(pixels: number): number {
  if (pixels < LEAST_SCANNED_PIXELS) return 0;
  const drawn = Math.min(pixels, MAX_HELD_PIXELS);
  return Math.min(pixels * PER_SCANNED_PIXEL, MAX_SCANNED_BYTES) + drawn + STRIP_BYTES;
}

const estimatePicture = (width: number, height: number): number =>
  Math.min(width * height, MAX_HELD_PIXELS) * PER_PIXEL;

function estimateZip(bytes: Uint8Array): number {
  const archive = openZip(bytes, { budget: new WorkBudget() });
  const isDocument = archive.has('[Content_Types].xml') || archive.has('mimetype');
  let total = 0;
  for (const name of archive.names) {
    const size = archive.sizeOf(name) ?? 0;
    // Pictures inside a document are kept as they are.
    total += isDocument && XML_PART.test(name) ? size * PER_XML_BYTE : size;
  }
  return isDocument ? total : Math.min(total * PER_TEXT_BYTE, MAX_OPEN_MEMBERS);
}
