import { findLargestPicture } from '#src/formats/pdf/drawing/picture-sizes.ts';
import { OLE_SIGNATURE } from '#src/formats/shared/containers/ole.ts';
import { oleStreamNames } from '#src/formats/shared/containers/ole-names.ts';
import { openZip } from '#src/formats/shared/containers/zip.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { readTiffDirectories } from '#src/formats/tiff/directories.ts';
import { readImageHeader } from '#src/images/header.ts';

/**
 * Bytes of memory per byte of XML. In measurements, 95,000 cells in 4 MB of XML took 120 MiB, and 75,000
 * paragraphs in 3 MB took 80 MiB.
 */
const PER_XML_BYTE = 24;
/** Bytes of memory per byte of a legacy workbook. The records of a workbook are as small as cells in XML. */
const PER_RECORD_BYTE = 24;
/**
 * Bytes of memory per byte of text. Text is held as bytes, as a string, and as text and Markdown of pages and
 * blocks.
 */
const PER_TEXT_BYTE = 6;
/**
 * Bytes of memory per byte of a PDF, which the PDF engine copies. PDF_PAGE_BYTES is the memory for a page
 * with its words and boxes.
 */
const PER_PDF_BYTE = 2;
const PDF_PAGE_BYTES = 4 * 1024 * 1024;
/**
 * Bytes of engine memory per pixel of a decoded scan, which has one or three channels. A strip of the drawn
 * page is held in addition, and the page in gray is held outside the engine.
 */
const PER_SCANNED_PIXEL = 3;
const MAX_SCANNED_BYTES = 36 * 1024 * 1024;
const STRIP_BYTES = 12 * 1024 * 1024;
/**
 * Minimum number of pixels of a picture that counts as a scan. Smaller pictures are figures, which are read
 * one by one.
 */
const MIN_SCANNED_PIXELS = 1_000_000;
/**
 * Bytes of memory per decoded pixel. Pixels take four bytes, and are held twice during conversion. Larger
 * pictures than MAX_HELD_PIXELS are scaled down in pieces.
 */
const PER_PIXEL = 8;
const MAX_HELD_PIXELS = 12_000_000;
/**
 * Maximum memory in bytes for the files inside an archive. The files are opened one after another, and few
 * stay open.
 */
const MAX_OPEN_MEMBERS = 48 * 1024 * 1024;

const XML_PART = /\.(?:xml|rels|x?html?|opf|ncx)$/i;

const startsWith = (bytes: Uint8Array, signature: readonly number[]) =>
  signature.every((byte, at) => bytes[at] === byte);

/**
 * Estimates the memory in bytes that reading a file takes. Only the directory of a zip archive or the header
 * of a picture is read, and nothing is unpacked. A damaged file counts with its own size and fails when it is
 * opened.
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
    const pages = readTiffDirectories(bytes, new WorkBudget());
    return pages.reduce((most, { width, height }) => Math.max(most, estimatePicture(width, height)), 0);
  }
  const header = readImageHeader(bytes);
  return header ? estimatePicture(header.width, header.height) : bytes.length * PER_TEXT_BYTE;
}

function estimateScan(pixels: number): number {
  if (pixels < MIN_SCANNED_PIXELS) return 0;
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
    const size = archive.getSize(name) ?? 0;
    // Pictures inside a document stay encoded in memory, so they count with their stored size.
    total += isDocument && XML_PART.test(name) ? size * PER_XML_BYTE : size;
  }
  return isDocument ? total : Math.min(total * PER_TEXT_BYTE, MAX_OPEN_MEMBERS);
}
