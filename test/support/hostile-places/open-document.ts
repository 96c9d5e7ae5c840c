import { odf } from '#test/formats/fixtures/odf.ts';
import { COMMON_UNITS } from '../hostile-units.ts';
import { OPEN_DOCUMENT_OBJECTS } from './office-objects.ts';
import { escaped, officeUnits, type Places } from './place.ts';

/** Places in texts, spreadsheets and presentations in the OpenDocument format. */
export const OPEN_DOCUMENT_PLACES = {
  odt: {
    ...OPEN_DOCUMENT_OBJECTS,
    text: {
      name: 'a.odt',
      write: (text) => odf('text', `<text:p>${escaped(text)}</text:p>`),
      units: COMMON_UNITS,
    },
    'the body': {
      name: 'a.odt',
      write: (text) => odf('text', text),
      units: officeUnits({
        paragraphs: '<text:p>a</text:p>',
        'open paragraphs': '<text:p>a',
        'nested lists': '<text:list><text:list-item><text:p>a</text:p>',
        'lists one after the other':
          '<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>',
        'nested tables': '<table:table><table:table-row><table:table-cell>',
        'nested notes': '<text:p>a<text:note><text:note-body>',
        frames: '<text:p><draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame></text:p>',
        'nested spans': '<text:span>a',
      }),
    },
    'a paragraph': {
      name: 'a.odt',
      write: (text) => odf('text', `<text:p>${text}</text:p>`),
      units: officeUnits({
        spans: '<text:span text:style-name="B">a</text:span>',
        links: '<text:a xlink:href="a">b</text:a>',
        'line breaks': 'a<text:line-break/>',
        spaces: 'a<text:s text:c="64"/>',
        tabs: 'a<text:tab/>',
        notes: '<text:note><text:note-body><text:p>a</text:p></text:note-body></text:note>',
        pictures: '<draw:frame><draw:image xlink:href="Pictures/1.png"/></draw:frame>',
      }),
    },
    'one frame': {
      name: 'a.odt',
      write: (text) => odf('text', `<text:p>a<draw:frame>${text}</draw:frame></text:p>`),
      units: { 'text boxes': '<draw:text-box><text:p>a</text:p></draw:text-box>' },
    },
  },
  ods: {
    text: {
      name: 'a.ods',
      write: (text) =>
        odf(
          'spreadsheet',
          `<table:table><table:table-row><table:table-cell><text:p>${escaped(text)}</text:p></table:table-cell></table:table-row></table:table>`,
        ),
      units: COMMON_UNITS,
    },
    rows: {
      name: 'a.ods',
      write: (text) => odf('spreadsheet', `<table:table table:name="S">${text}</table:table>`),
      units: officeUnits({
        rows: '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>',
        cells: '<table:table-cell><text:p>a</text:p></table:table-cell>',
        'row groups': '<table:table-row-group>',
      }),
    },
    'one row': {
      name: 'a.ods',
      write: (text) =>
        odf(
          'spreadsheet',
          `<table:table table:name="S"><table:table-row>${text}</table:table-row></table:table>`,
        ),
      units: {
        cells: '<table:table-cell><text:p>a</text:p></table:table-cell>',
        'repeated cells':
          '<table:table-cell table:number-columns-repeated="9999"><text:p>a</text:p></table:table-cell>',
        'repeated empty cells':
          '<table:table-cell table:number-columns-repeated="9999"/><table:table-cell><text:p>a</text:p></table:table-cell>',
      },
    },
  },
  odp: {
    'a slide': {
      name: 'a.odp',
      write: (text) => odf('presentation', `<draw:page>${text}</draw:page>`),
      units: officeUnits({
        frames: '<draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame>',
        'open frames': '<draw:frame>',
        titles: '<draw:frame presentation:class="title"><text:p>a</text:p></draw:frame>',
      }),
    },
    slides: {
      name: 'a.odp',
      write: (text) => odf('presentation', text),
      units: { slides: '<draw:page><draw:frame><text:p>a</text:p></draw:frame></draw:page>' },
    },
  },
} satisfies Places;
