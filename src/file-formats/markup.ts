import { defineFormat } from './define.ts';
import { CODE_EXTENSIONS } from './programming-languages.ts';

/** Extensions of text markup and source code. Such a file is not an e-mail, even if it begins like one. */
export const MARKUP_EXTENSIONS: ReadonlySet<string> = new Set([
  ...'tex latex ltx adoc asciidoc asc rst rest org vtt srt ipynb'.split(' '),
  ...CODE_EXTENSIONS,
]);

export const tex = defineFormat({
  kind: 'tex',
  title: 'LaTeX',
  extensions: ['tex', 'latex', 'ltx'],
  mediaTypes: ['application/x-tex', 'application/x-latex', 'text/x-tex'],
  content: {
    text: {
      guess: {
        matches: (text) => /^[ \t]*\\(?:documentclass|documentstyle|begin\{document\})/m.test(text),
        strength: 6,
      },
    },
  },
  isParsedAsText: true,
});

export const adoc = defineFormat({
  kind: 'adoc',
  title: 'AsciiDoc',
  extensions: ['adoc', 'asciidoc', 'asc'],
  mediaTypes: ['text/asciidoc', 'text/x-asciidoc'],
  content: { text: {} },
  isParsedAsText: true,
});

export const rst = defineFormat({
  kind: 'rst',
  title: 'reStructuredText',
  extensions: ['rst', 'rest'],
  mediaTypes: ['text/x-rst', 'text/prs.fallenstein.rst'],
  content: { text: {} },
  isParsedAsText: true,
});

export const org = defineFormat({
  kind: 'org',
  title: 'Org mode',
  extensions: ['org'],
  mediaTypes: ['text/org', 'text/x-org'],
  content: { text: {} },
  isParsedAsText: true,
});

export const vtt = defineFormat({
  kind: 'vtt',
  title: 'Subtitles (WebVTT)',
  extensions: ['vtt'],
  mediaTypes: ['text/vtt'],
  content: {
    text: { guess: { matches: (text) => /^WEBVTT(?=[ \t\r\n]|$)/.test(text), strength: 6 } },
  },
  isParsedAsText: true,
});

export const srt = defineFormat({
  kind: 'srt',
  title: 'Subtitles (SubRip)',
  extensions: ['srt'],
  mediaTypes: ['application/x-subrip'],
  content: {
    text: {
      guess: {
        matches: (text) =>
          /^\s{0,20}\d{1,6}[ \t]{0,9}\r?\n\d{1,3}:\d{2}:\d{2}[,.]\d{1,3} --> \d{1,3}:\d{2}:\d{2}/.test(text),
        strength: 6,
      },
    },
  },
  isParsedAsText: true,
});

export const ipynb = defineFormat({
  kind: 'ipynb',
  title: 'Jupyter notebook',
  extensions: ['ipynb'],
  mediaTypes: ['application/x-ipynb+json'],
  content: {
    text: {
      guess: {
        matches: (text) =>
          /^\s*\{/.test(text) && /"cells"\s*:\s*\[/.test(text) && /"cell_type"\s*:\s*"/.test(text),
        strength: 6,
      },
    },
  },
  isParsedAsText: true,
});

/** Source code of any programming language. Only the file name tells which one it is. */
export const code = defineFormat({
  kind: 'code',
  title: 'Source code',
  extensions: CODE_EXTENSIONS,
  mediaTypes: ['text/x-source-code', 'text/javascript', 'text/css', 'text/x-python', 'application/yaml'],
  content: { text: {} },
  isParsedAsText: true,
});
