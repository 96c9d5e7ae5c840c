import type { FileFormat } from './define.ts';
import { epub, pdf, rtf, zip } from './documents.ts';
import { gif, jpeg, png, tiff, webp } from './images.ts';
import { eml, msg } from './mail.ts';
import { adoc, code, ipynb, org, rst, srt, tex, vtt } from './markup.ts';
import { doc, docx, ppt, pptx, xls, xlsx } from './office.ts';
import { odp, ods, odt } from './opendocument.ts';
import { csv, html, json, md, tsv, txt, xml } from './text.ts';

const formats = [
  pdf,
  docx,
  doc,
  pptx,
  ppt,
  xlsx,
  xls,
  csv,
  tsv,
  html,
  md,
  txt,
  json,
  xml,
  tex,
  adoc,
  rst,
  org,
  vtt,
  srt,
  ipynb,
  code,
  eml,
  msg,
  zip,
  epub,
  rtf,
  odt,
  ods,
  odp,
  png,
  jpeg,
  webp,
  tiff,
  gif,
] as const;

/**
 * Name of a supported file format. If a format has no parser in `src/formats/registry.ts`, that file does not
 * compile.
 */
export type FileKind = (typeof formats)[number]['kind'];

export const fileFormats: readonly FileFormat<FileKind>[] = formats;

export const FILE_KINDS: readonly FileKind[] = formats.map(({ kind }) => kind);
