import { describe, expect, it } from 'vitest';
import { buildContentDisposition, parseFileName } from '#src/bucket/content-disposition.ts';

describe('dispositionName', () => {
  it.each([
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['attachment; filename="annual report.pdf"', 'annual report.pdf'],
    ['attachment; filename="a \\"quoted\\" name.pdf"', 'a "quoted" name.pdf'],
    ['attachment; filename="semi;colon.pdf"; size=3', 'semi;colon.pdf'],
    ["attachment; filename*=UTF-8''na%C3%AFve%20file.txt", 'naïve file.txt'],
    ["attachment; filename=plain.txt; filename*=UTF-8'en'%e2%82%ac.txt", '€.txt'],
    ["attachment; filename*=UTF-8''%e2%82%ac.txt; filename=plain.txt", '€.txt'],
    ["attachment; filename*=ISO-8859-1''%A3.txt", '£.txt'],
    ["attachment; filename=plain.txt; filename*=UTF-8''%ff%fe", 'plain.txt'],
    ["attachment; filename=plain.txt; filename*=UTF-8''%zz", 'plain.txt'],
    ["attachment; filename*=UTF-8''%zz", undefined],
    ["attachment; filename=plain.txt; filename*=Klingon''x", 'plain.txt'],
    ['attachment; filename="never closed', undefined],
    ['attachment; __proto__=x; filename=a.txt', 'a.txt'],
    ['attachment; FileName="Ü.pdf"', 'Ü.pdf'],
    ['attachment; filename="\xc3\x9c.pdf"', 'Ü.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\temp\\\\a.txt"', 'a.txt'],
    ['filename=bare.pdf', 'bare.pdf'],
    ['attachment', undefined],
    ['attachment; filename=""', undefined],
    ['attachment; filename=".."', undefined],
    ['', undefined],
  ])('%s', (header, name) => {
    expect(parseFileName(header)).toBe(name);
  });

  it('parses the file names that it builds', () => {
    for (const name of [
      'a.pdf',
      '100%25.pdf',
      'Zürich – (1) "x" 100%.pdf',
      '文書.docx',
      "it's*.txt",
      '\ud800.txt',
    ]) {
      const header = buildContentDisposition('attachment', name);
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      expect(parseFileName(header)).toBe(name.toWellFormed());
    }
  });
});
