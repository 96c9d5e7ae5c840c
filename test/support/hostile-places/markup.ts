import { COMMON_UNITS, JSON_UNITS, MARKDOWN_UNITS, MARKUP_UNITS } from '../hostile-units.ts';
import { encodeText, FEW, MARKUP, type Places, plain } from './place.ts';

const FORMULA_UNITS = {
  letters: '<mi>a</mi>',
  'nested rows': '<mrow><mi>a</mi>',
  'nested fractions': '<mfrac><mi>a</mi>',
  'nested scripts': '<msup><mi>a</mi>',
  'nested accents': '<mover><mi>a</mi><mo>^</mo>',
  'nested tables': '<mtable><mtr><mtd>',
  'table rows': '<mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable>',
  'open brackets': '<mo>(</mo>',
  'brackets that end': '<mo>(</mo><mi>a</mi><mo>)</mo>',
  'nested styles': '<mstyle mathvariant="bold">',
  'nested annotations': '<semantics><mi>a</mi><annotation encoding="TeX">a</annotation>',
  'scripts before a base': '<mmultiscripts><mi>a</mi><mprescripts/>',
  'content elements': '<apply><plus/><ci>a</ci>',
  'nested sums': '<apply><sum/><lowlimit>',
  spaces: '<mspace/>',
  text: '<mtext>a b</mtext>',
};
const TEX_UNITS = {
  dollars: '$',
  'dollars with text': '\\text{$a$}',
  comments: '%\n',
  braces: '{',
  groups: '{a}',
  backslashes: '\\',
  blanks: ' ',
  documents: '\\begin{document}',
  styles: '{\\displaystyle ',
  brackets: '\\[',
  tags: '\\tag{1}',
};

/** Places in texts with a syntax: HTML, Markdown, JSON and XML. */
export const MARKUP_PLACES = {
  html: {
    'the body': plain('a.html', '<!doctype html><html><p>', MARKUP),
    'preformatted text': plain('a.html', '<!doctype html><html><pre>', COMMON_UNITS, '</pre>'),
    'a cell': plain(
      'a.html',
      '<!doctype html><html><table><tr><td>',
      MARKUP,
      '</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
    ),
    'a formula': plain('a.html', '<!doctype html><html><p><math>', FORMULA_UNITS),
    'TeX of a script': plain(
      'a.html',
      '<!doctype html><html><p>a<script type="math/tex">',
      TEX_UNITS,
      '</script>',
    ),
    'TeX of a picture': plain(
      'a.html',
      '<!doctype html><html><p>a<img class="tex" src="a" alt="',
      TEX_UNITS,
      '">',
    ),
    'scripts of scripts': plain('a.html', '<!doctype html><html><p>', {
      raised: 'a<sup>b',
      both: 'a<sub>b<sup>c</sub>',
    }),
    'an attribute': plain('a.html', '<!doctype html><html><p title="a" style="', COMMON_UNITS, '">a</p>'),
    'a class': plain(
      'a.html',
      '<!doctype html><html><style>.a{display:none}</style><p class="',
      COMMON_UNITS,
      '">a',
    ),
    'a style sheet': plain(
      'a.html',
      '<!doctype html><html><style>',
      { ...COMMON_UNITS, selectors: '.a,', rules: '.a{display:none}', 'nested rules': '.a{', comments: '/*' },
      '</style><p>a',
    ),
    'the head': plain('a.html', '<!doctype html><html><head>', {
      'meta elements': '<meta name=a content=b>',
      titles: '<title>a</title>',
      'open titles': '<title>',
      bases: '<base href="http://a/">',
    }),
  },
  md: {
    text: plain('a.md', 'text ', { ...COMMON_UNITS, ...MARKUP_UNITS, ...MARKDOWN_UNITS }),
    'a text that begins a line': plain('a.md', 'text\n\n', { ...COMMON_UNITS, ...MARKDOWN_UNITS }),
    'front matter': plain('a.md', '---\ntitle: ', FEW, '\n---\ntext'),
    'a list item': plain('a.md', 'text\n\n- ', MARKDOWN_UNITS),
    'a quote': plain('a.md', 'text\n\n> ', MARKDOWN_UNITS),
  },
  json: {
    'the file': plain('a.json', '', { ...COMMON_UNITS, ...JSON_UNITS }),
    'a list': plain('a.json', '[', JSON_UNITS, '0]'),
    'a string': {
      name: 'a.json',
      write: (text) => encodeText(JSON.stringify({ a: { b: text } })),
      units: COMMON_UNITS,
    },
  },
  xml: {
    text: plain('a.xml', '<?xml version="1.0"?><a>', MARKUP),
    'an attribute': plain('a.xml', '<?xml version="1.0"?><a><b c="', COMMON_UNITS, '"/></a>'),
    records: plain(
      'a.xml',
      '<?xml version="1.0"?><a>',
      { records: '<b><c>1</c></b>', 'records with attributes': '<b c="1"/>', 'nested fields': '<b><c>' },
      '</a>',
    ),
    'a document type': plain('a.xml', '<!DOCTYPE a [', {
      entities: '<!ENTITY b "c">',
      'open quotes': '<!ENTITY b "',
      brackets: '[',
      comments: '<!--',
    }),
    'an article': plain(
      'a.xml',
      '<article><front><article-meta/></front><body>',
      {
        ...MARKUP,
        sections: '<sec><title>a</title>',
        notes: '<p>a<xref ref-type="fn" rid="f"/></p><fn id="f"/>',
        references: '<ref><label>1</label><mixed-citation>a</mixed-citation></ref>',
        'tables of columns':
          '<table><tgroup><colspec colwidth="1"/><tbody><row><entry morerows="999">a</entry></row></tbody></tgroup></table>',
        alternatives: '<alternatives>',
        'named characters': '&agr;&nosuch;',
      },
      '</body></article>',
    ),
    'a patent': plain('a.xml', '<us-patent-grant><claims>', {
      claims: '<claim><claim-text>1. a<claim-text>b</claim-text></claim-text></claim>',
      'open claim texts': '<claim-text>',
      numbers: '<claim><claim-text><b>1</b>',
    }),
    'a feed': plain('a.xml', '<rss><channel>', {
      items: '<item><title>a</title><description>&lt;b&gt;</description></item>',
      'open items': '<item>',
    }),
    'a report of facts': plain('a.xml', '<xbrl>', {
      facts: '<f contextRef="c">1</f>',
      contexts: '<context id="c"><period><instant>1</instant></period></context>',
      tuples: '<t>',
    }),
  },
} satisfies Places;
