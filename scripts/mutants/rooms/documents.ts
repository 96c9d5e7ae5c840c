import { type MutantRoom, moduleRoom, serviceRoom } from './define.ts';

// The spelling checker takes parts of the glob patterns for comments.
// cspell:ignore opendocument

const FORMATS = 'src/formats';
const FORMAT_TESTS = 'test/formats';

/** Readers of the file formats. */
const FORMAT_ROOMS = {
  'format detection': moduleRoom(
    [
      `${FORMATS}/{detect,registry}.ts`,
      `${FORMATS}/shared/{open-document,time-limit,work-budget}.ts`,
      'src/file-formats/*.ts',
      'src/documents/errors.ts',
    ],
    [`${FORMAT_TESTS}/{detect,omissions}.test.ts`, `${FORMAT_TESTS}/shared/work-budget.test.ts`],
  ),
  'format pdf': moduleRoom(
    [`${FORMATS}/pdf/*.ts`, `${FORMATS}/pdf/engine/*.ts`, 'src/parse/reading-area.ts'],
    [`${FORMAT_TESTS}/pdf/{copy-pages,document,figures,limits,suite}.test.ts`],
  ),
  'pdf drawing': moduleRoom(
    [`${FORMATS}/pdf/drawing/!(picture-sizes).ts`],
    [
      `${FORMAT_TESTS}/pdf/drawing/*.test.ts`,
      `${FORMAT_TESTS}/pdf/{drawing-limits,reading-and-drawing}.test.ts`,
    ],
  ),
  'pdf tables': moduleRoom(
    [`${FORMATS}/pdf/tables/*.ts`],
    [
      `${FORMAT_TESTS}/pdf/tables/*.test.ts`,
      `${FORMAT_TESTS}/pdf/{reading-order,ruled-tables,table-parameters}.test.ts`,
    ],
  ),
  'pdf formulas': moduleRoom([`${FORMATS}/pdf/math/*.ts`], [`${FORMAT_TESTS}/pdf/math/*.test.ts`]),
  'pdf text': moduleRoom(
    [`${FORMATS}/pdf/text/**/*.ts`],
    [
      `${FORMAT_TESTS}/pdf/text/*.test.ts`,
      `${FORMAT_TESTS}/pdf/{layout-parameters,reading-order,ruled-tables,text}.test.ts`,
    ],
  ),
  'format docx': moduleRoom(
    [`${FORMATS}/docx/*.ts`],
    [
      `${FORMAT_TESTS}/{docx,links,omissions}.test.ts`,
      `${FORMAT_TESTS}/office/{changes-and-shapes,comments,headings-and-html}.test.ts`,
    ],
  ),
  'formats doc, xls and ppt': moduleRoom(
    [`${FORMATS}/{doc,ppt,xls}/*.ts`],
    [`${FORMAT_TESTS}/{legacy-office,small-legacy-files}.test.ts`],
  ),
  'format xlsx': moduleRoom(
    [`${FORMATS}/xlsx/*.ts`, `${FORMATS}/shared/sheets/*.ts`],
    [`${FORMAT_TESTS}/{sheet-parameters,spreadsheets}.test.ts`, `${FORMAT_TESTS}/office/comments.test.ts`],
  ),
  'format pptx': moduleRoom(
    [`${FORMATS}/pptx/*.ts`],
    [`${FORMAT_TESTS}/{links,pptx}.test.ts`, `${FORMAT_TESTS}/office/{changes-and-shapes,comments}.test.ts`],
  ),
  'format opendocument': moduleRoom(
    [`${FORMATS}/opendocument/!(locked).ts`],
    [`${FORMAT_TESTS}/{opendocument,spreadsheets}.test.ts`, `${FORMAT_TESTS}/office/*.test.ts`],
  ),
  'format rtf': moduleRoom(
    [`${FORMATS}/rtf/*.ts`],
    [
      `${FORMAT_TESTS}/rtf.test.ts`,
      `${FORMAT_TESTS}/math/rtf.test.ts`,
      `${FORMAT_TESTS}/office/{changes-and-shapes,headings-and-html}.test.ts`,
    ],
  ),
  'formats of mail': moduleRoom([`${FORMATS}/{eml,msg}/*.ts`], [`${FORMAT_TESTS}/{mail,message}.test.ts`]),
  'formats of text': moduleRoom(
    [`${FORMATS}/{delimited,epub,html,json,markdown,text}/*.ts`],
    [`${FORMAT_TESTS}/{epub,links,texts}.test.ts`],
  ),
  'format tex': moduleRoom([`${FORMATS}/latex/*.ts`], [`${FORMAT_TESTS}/latex.test.ts`]),
  'formats of light markup': moduleRoom(
    [`${FORMATS}/{asciidoc,org,restructured-text}/*.ts`, `${FORMATS}/shared/markup/*.ts`],
    [`${FORMAT_TESTS}/{light-markup,no-lost-markup-words}.test.ts`],
  ),
  'formats of code, notebooks and subtitles': moduleRoom(
    [`${FORMATS}/{code,notebook,subtitles}/*.ts`],
    [`${FORMAT_TESTS}/{notebook,source-code,subtitles}.test.ts`],
  ),
  'format xml': moduleRoom([`${FORMATS}/xml/**/*.ts`], [`${FORMAT_TESTS}/xml/*.test.ts`]),
  'formats of images': moduleRoom([`${FORMATS}/{image,tiff}/*.ts`], [`${FORMAT_TESTS}/images.test.ts`]),
  'format zip': moduleRoom(
    [`${FORMATS}/zip/*.ts`, `${FORMATS}/shared/members/*.ts`],
    [`${FORMAT_TESTS}/archive.test.ts`, `${FORMAT_TESTS}/shared/members/*.test.ts`],
  ),
  containers: moduleRoom(
    [`${FORMATS}/shared/containers/**/*.ts`],
    [`${FORMAT_TESTS}/shared/zip.test.ts`, `${FORMAT_TESTS}/{omissions,small-legacy-files}.test.ts`],
  ),
  'text flow': moduleRoom(
    [`${FORMATS}/shared/flow/*.ts`],
    [`${FORMAT_TESTS}/{docx,links,opendocument,pptx,rtf}.test.ts`],
  ),
  'charts of office files': moduleRoom(
    [`${FORMATS}/shared/charts/*.ts`],
    [`${FORMAT_TESTS}/office/charts.test.ts`],
  ),
  'mathematical notation': moduleRoom([`${FORMATS}/shared/math/**/*.ts`], [`${FORMAT_TESTS}/math/*.test.ts`]),
  formulas: moduleRoom([`${FORMATS}/shared/formulas/**/*.ts`], [`${FORMAT_TESTS}/shared/formulas/*.test.ts`]),
  'protected files': moduleRoom(
    [`${FORMATS}/shared/protection/*.ts`, `${FORMATS}/opendocument/locked.ts`],
    [`${FORMAT_TESTS}/protected.test.ts`],
  ),
} satisfies Record<string, MutantRoom>;

/** Rules of parsing, reading, extraction, classification and chunking. */
export const DOCUMENT_ROOMS = {
  ...FORMAT_ROOMS,
  'parse parameters': moduleRoom(
    [
      'src/parse/!(reading-area|service|wanted-pages).ts',
      'src/parse/parameters/*.ts',
      'src/lib/text/{page-ranges,target-pages}.ts',
    ],
    ['test/parse/*.test.ts', 'test/lib/text/page-ranges.test.ts'],
  ),
  'parsed pages': moduleRoom(
    [
      'src/parse-file/{complete-text,cross-check,decoded-size,layout-images,long-tables}.ts',
      'src/parse-file/{reduce-image,scanned-page,store-image}.ts',
      'src/formats/pdf/drawing/picture-sizes.ts',
    ],
    ['test/parse-file/*.test.ts'],
  ),
  'character sets': moduleRoom(['src/text-formats/*.ts'], ['test/text-formats/*.test.ts']),
  languages: moduleRoom(['src/languages/*.ts'], ['test/languages/*.test.ts']),
  images: moduleRoom(['src/images/*.ts'], ['test/images/*.test.ts', 'test/formats/images.test.ts']),
  markdown: moduleRoom(
    ['src/documents/markdown/!(block-rows).ts'],
    ['test/documents/markdown/*.test.ts', 'test/ingest/chunking/markdown.test.ts'],
  ),
  'pdf output': moduleRoom(['src/pdf-output/*.ts'], ['test/pdf-output/write.test.ts']),

  'page plans': moduleRoom(['src/reading/plan/*.ts'], ['test/reading/plan/*.test.ts']),
  'reading prompts': moduleRoom(
    ['src/reading/{layout-prompt,place-blocks,prompt}.ts', 'src/lib/text/fence.ts'],
    ['test/reading/*.test.ts'],
  ),
  'verified readings': moduleRoom(['src/reading/verify/**/*.ts'], ['test/reading/verify/*.test.ts']),
  reading: serviceRoom(
    [
      'src/reading/!(layout-prompt|place-blocks|prompt).ts',
      'src/reading/{pictures,service}/*.ts',
      'src/documents/markdown/block-rows.ts',
    ],
    ['test/reading/service/*.test.ts'],
  ),

  citations: moduleRoom(
    [
      'src/extraction/{check-evidence,citations,printed-page,word-edge-index}.ts',
      'src/documents/layout/*.ts',
    ],
    ['test/extraction/{citations,printed-page,result,word-edge-index}.test.ts'],
  ),
  extraction: moduleRoom(
    [
      'src/extraction/{configuration,evidence,formats,merge,repair,result,scalars}.ts',
      'src/extraction/{step-counter,validate}.ts',
      'src/extraction/{model/!(generate),values/*}.ts',
    ],
    ['test/extraction/*.test.ts'],
  ),
  'built-in extraction': moduleRoom(
    ['src/builtin/extraction/**/*.ts', 'src/lib/text/words.ts'],
    ['test/builtin/extraction/*.test.ts'],
  ),
  'schema generation': moduleRoom(
    ['src/builtin/schema-generation/*.ts', 'src/extraction/{model/generate,prompt-fields}.ts'],
    ['test/builtin/schema-generation/*.test.ts'],
  ),
  'JSON schemas': moduleRoom(['src/json-schema/*.ts'], ['test/json-schema/*.test.ts']),
  classification: moduleRoom(
    ['src/classification/*.ts'],
    ['test/classification/*.test.ts', 'test/extraction/configuration.test.ts'],
  ),
  'built-in classifier': moduleRoom(
    ['src/builtin/classification/*.ts', 'src/builtin/classification/forms/*.ts'],
    ['test/builtin/classification/classifier.test.ts', 'test/builtin/classification/forms.test.ts'],
  ),

  chunking: moduleRoom(
    ['src/ingest/chunking/**/*.ts', 'src/tokenizer/*.ts'],
    ['test/ingest/chunking/*.test.ts'],
  ),
  ingestion: moduleRoom(['src/ingest/!(quota).ts'], ['test/ingest/*.test.ts']),
} satisfies Record<string, MutantRoom>;
