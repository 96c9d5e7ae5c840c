import { describe, expect, it } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { detectKind as detect } from '#src/formats/detect.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { zip } from './fixtures/zip.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Returns an OLE2 container with empty streams of these names. */
function ole(...streams: string[]): Uint8Array {
  const bytes = new Uint8Array(512 * 3);
  const view = new DataView(bytes.buffer);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  view.setUint16(30, 9, true);
  view.setUint32(48, 1, true);
  view.setUint32(76, 0, true);
  view.setUint32(512 + 4, 0xfffffffe, true);
  ['Root Entry', ...streams].forEach((name, at) => {
    const start = 1024 + at * 128;
    [...name].forEach((letter, index) => {
      view.setUint16(start + index * 2, letter.charCodeAt(0), true);
    });
    view.setUint16(start + 64, (name.length + 1) * 2, true);
  });
  return bytes;
}

/** Encodes capitals, digits and blanks in the code page 037 of mainframes. */
function encodeEbcdic(text: string): Uint8Array {
  const rows = ['ABCDEFGHI', 'JKLMNOPQR', '/STUVWXYZ'];
  return Uint8Array.from(text, (character) => {
    const row = rows.findIndex((letters) => letters.includes(character));
    if (row >= 0) return 0xc1 + row * 16 + rows[row]!.indexOf(character);
    return character === ' ' ? 0x40 : 0xf0 + Number(character);
  });
}

function catchReason(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ParseError) return error.reason;
    throw error;
  }
  return 'accepted';
}

const detectKind = (bytes: Uint8Array, name: string) => detect(bytes, name, new WorkBudget());

describe('detectKind', () => {
  it.each([
    ['%PDF-1.7\n', 'x.txt', 'pdf'],
    ['\n\n%PDF-1.4\n', '', 'pdf'],
    ['{\\rtf1 hello}', 'x.doc', 'rtf'],
    ['<!DOCTYPE html><p>x', 'x.txt', 'html'],
    ['<!-- c --><html><p>x', '', 'html'],
    ['<?xml version="1.0"?><html xmlns="x"/>', '', 'html'],
    ['<?xml version="1.0"?><a/>', '', 'xml'],
    ['<a><b/></a>', '', 'xml'],
    ['<!DOCTYPE article\nPUBLIC "-//NLM//DTD JATS//EN" "JATS.dtd">\n<article>', '', 'xml'],
    ['<!-- made by hand --><?page 1?><TEI xmlns="http://www.tei-c.org/ns/1.0">', '', 'xml'],
    ['<article xmlns="http://docbook.org/ns/docbook"><title>', '', 'xml'],
    ['<article article-type="research-article"><front>', '', 'xml'],
    ['<article><front>', 'a.nxml', 'xml'],
    ['<article class="post"><h1>', '', 'html'],
    ['<svg width="1" xmlns="http://www.w3.org/2000/svg">', '', 'xml'],
    ['<rss version="2.0"><channel>', 'a.rss', 'xml'],
    ['<!doctype html><p>x', 'a.xml', 'html'],
    ['{"a": 1}', '', 'json'],
    ['[1, 2]', 'x.txt', 'txt'],
    ['Received: by x\r\nFrom: a@b\r\nSubject: s\r\n\r\nbody', '', 'eml'],
    ['From: me\nThis is a letter', '', 'txt'],
    ['a,b\n1,2\n3,4\n', '', 'csv'],
    ['a,b\n1,2\n3,4\n', 'x.txt', 'txt'],
    ['a\tb\n1\t2\n', '', 'tsv'],
    ['# Title\n\n- item\n- item\n', '', 'md'],
    ['# Title', 'x.md', 'md'],
    ['Just words, and more words.', 'x.pdf.bin', 'txt'],
    ['Just words', '', 'txt'],
    ['% words\n\\documentclass{article}\n', '', 'tex'],
    ['WEBVTT\n\n00:01.000 --> 00:02.000\nwords', '', 'vtt'],
    ['1\r\n00:00:01,000 --> 00:00:02,000\r\nwords', '', 'srt'],
    ['{"cells": [{"cell_type": "code"}]}', '', 'ipynb'],
    ['# Title\n\n- item', 'x.py', 'code'],
    ['* Title', 'x.org', 'org'],
    ['Title\n=====', 'x.rst', 'rst'],
    ['== Title', 'x.asciidoc', 'adoc'],
  ])('detects %j named %j as %s', (text, name, kind) => {
    expect(detectKind(utf8(text), name)).toBe(kind);
  });

  it('identifies zip containers by their members rather than by name', () => {
    expect(detectKind(zip({ 'word/document.xml': '<a/>' }), 'x.zip')).toBe('docx');
    expect(detectKind(zip({ 'xl/workbook.xml': '<a/>' }), 'x.docx')).toBe('xlsx');
    expect(detectKind(zip({ 'ppt/presentation.xml': '<a/>' }), '')).toBe('pptx');
    expect(detectKind(zip({ mimetype: 'application/epub+zip' }), '')).toBe('epub');
    expect(detectKind(zip({ 'a.txt': 'a' }), 'x.docx')).toBe('zip');
    const calc = 'application/vnd.oasis.opendocument.spreadsheet';
    expect(detectKind(zip({ mimetype: calc, 'content.xml': '<a/>' }), '')).toBe('ods');
  });

  it('identifies legacy containers by their streams', () => {
    expect(detectKind(ole('Workbook'), '')).toBe('xls');
    expect(detectKind(ole('Book'), '')).toBe('xls');
    expect(detectKind(ole('WordDocument', '1Table'), '')).toBe('doc');
    expect(detectKind(ole('PowerPoint Document', 'Pictures'), '')).toBe('ppt');
    expect(detectKind(ole('__properties_version1.0'), '')).toBe('msg');
  });

  it.each([
    ['an empty file', new Uint8Array(), 'NO_DATA_FOUND_IN_FILE'],
    ['white space', utf8(' \n\t '), 'NO_DATA_FOUND_IN_FILE'],
    ['unknown bytes', Uint8Array.from({ length: 500 }, (_, at) => (at * 37) & 255), 'UNSUPPORTED_FILE_TYPE'],
    ['a package of a kind that is not read', zip({ '[Content_Types].xml': '<a/>' }), 'UNSUPPORTED_FILE_TYPE'],
    ['an installer', ole('SummaryInformation'), 'UNSUPPORTED_FILE_TYPE'],
    ['a container without a directory', ole().subarray(0, 600), 'FILE_IS_BROKEN'],
    ['a zip cut short', zip({ 'word/document.xml': 'x'.repeat(500) }).subarray(0, 60), 'FILE_IS_BROKEN'],
  ])('rejects %s', (_, bytes, reason) => {
    expect(catchReason(() => detectKind(bytes, ''))).toBe(reason);
  });

  it('explains how to convert an unsupported picture format', () => {
    const heic = Uint8Array.from([0, 0, 0, 24, ...utf8('ftypheic'), 0, 0, 0, 0, ...utf8('mif1heic')]);
    expect(() => detectKind(heic, 'x.jpg')).toThrow(
      'UNSUPPORTED_FILE_TYPE: Sluice does not read HEIC or AVIF pictures. Save the picture as JPEG or PNG.',
    );
  });

  it.each([
    [
      'Pages',
      zip({ 'Index/Document.iwa': 'x' }),
      'Pages, Numbers or Keynote files. Export the document as PDF',
    ],
    ['an older Keynote', zip({ 'index.apxl': 'x' }), 'Pages, Numbers or Keynote files'],
    [
      'EBCDIC',
      encodeEbcdic('THE HARBOUR MASTER RECORDS THE TIDE AT 6 EACH MORNING'),
      'text in EBCDIC. Convert it',
    ],
    ['a RAR archive', Uint8Array.from([...utf8('Rar!'), 0x1a, 7, 1, 0, 0, 0, 0, 0]), 'this kind of archive'],
    ['PostScript', utf8('%!PS-Adobe-3.0\nshowpage\n'), 'PostScript. Convert it to PDF'],
    [
      'a video',
      Uint8Array.from([0, 0, 0, 24, ...utf8('ftypisom'), 0, 0, 2, 0]),
      'videos. Upload a transcript',
    ],
  ])('says what would help with %s', (_, bytes, message) => {
    expect(() => detectKind(bytes, 'x.bin')).toThrow(
      `UNSUPPORTED_FILE_TYPE: Sluice does not read ${message}`,
    );
  });

  it.each([
    'ID3 tags are read first, then the file name.',
    'MZ 14 is the number of the berth.',
    '@ @ @ @ @ @',
  ])('reads a text that begins like another format: %s', (text) => {
    expect(detectKind(utf8(text), 'x.txt')).toBe('txt');
  });

  it('reads a text with ASCII blanks whose other bytes are also letters and blanks of EBCDIC', () => {
    expect(
      detectKind(
        Uint8Array.from(`${'â@'.repeat(20)} â@`, (letter) => letter.charCodeAt(0)),
        'x.txt',
      ),
    ).toBe('txt');
  });

  it('reports a broken file for a .pdf name without PDF content', () => {
    expect(catchReason(() => detectKind(utf8('no pdf'), 'x.pdf'))).toBe('PDF_IS_BROKEN');
  });
});
