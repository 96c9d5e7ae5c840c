import { describe, expect, it } from 'vitest';
import { readXml } from './read-xml.ts';

const read = async (text: string) => (await readXml(text)).markdown;

describe('TEI', () => {
  const tei = (body: string) =>
    `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Tides</title><author><persName><forename>Ada</forename><surname>Moss</surname></persName></author></titleStmt></fileDesc><encodingDesc><p>Encoded by hand</p></encodingDesc><profileDesc><abstract><p>Short.</p></abstract></profileDesc></teiHeader><text><body>${body}</body></text></TEI>`;
  const start = '# Tides\n\nAda Moss\n\n## Abstract\n\nShort.\n\n';

  it('keeps sections, renderings and footnotes, and leaves out notes on the encoding', async () => {
    const body =
      '<div><head n="1">Sea</head><p>Old<note place="foot" n="1"><p>1. Very.</p></note> <hi rend="italic">words</hi> of H<hi rend="subscript">2</hi>O.</p><div><head>Deep</head><p>Cold.</p></div></div>';
    expect(await read(tei(body))).toBe(
      `${start}## 1 Sea\n\nOld[^1] *words* of H<sub>2</sub>O.\n\n### Deep\n\nCold.\n\n[^1]: 1. Very.`,
    );
  });

  it('writes one reading of a choice, verse by line, tables and speeches', async () => {
    const body =
      '<p><choice><sic>teh</sic><corr>the</corr></choice> sea</p><lg><l>One</l><l>Two</l></lg><sp><speaker>Keeper</speaker><p>Light!</p></sp><table><row><cell cols="2">Head</cell></row><row><cell>a</cell><cell>b</cell></row></table>';
    expect(await read(tei(body))).toBe(
      `${start}the sea\n\nOne  \nTwo\n\n**Keeper**\n\nLight!\n\n| Head |     |\n| ---- | --- |\n| a    | b   |`,
    );
  });
});

describe('DocBook', () => {
  it('keeps sections, code, admonitions, lists and tables with spans', async () => {
    const text = `<article xmlns="http://docbook.org/ns/docbook"><info><title>Lamps</title><author><personname><firstname>Ada</firstname><surname>Moss</surname></personname></author><legalnotice><para>Secret</para></legalnotice></info><section><title>Oil</title><para>Run <command>light</command><footnote><para>Twice.</para></footnote>.</para><programlisting language="sh">light
  --on</programlisting><tip><para>Wait.</para></tip><orderedlist><listitem><para>Fill</para></listitem></orderedlist><table><title>Parts</title><tgroup cols="2"><colspec colname="a"/><colspec colname="b"/><thead><row><entry namest="a" nameend="b">Part</entry></row></thead><tbody><row><entry morerows="1">Lamp</entry><entry>oil</entry></row><row><entry>gas</entry></row></tbody></tgroup></table></section></article>`;
    expect(await read(text)).toBe(
      [
        '# Lamps',
        'Ada Moss',
        '## Oil',
        'Run `light`[^1].',
        '```sh\nlight\n  --on\n```',
        '> **Tip**',
        '> Wait.',
        '1. Fill',
        'Parts',
        '| Part |     |\n| ---- | --- |\n| Lamp | oil |\n|      | gas |',
        '[^1]: Twice.',
      ].join('\n\n'),
    );
  });
});

describe('DITA', () => {
  it('writes tasks with their steps', async () => {
    expect(
      await read(
        '<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd"><task id="t"><title>Light</title><shortdesc>How.</shortdesc><taskbody><steps><step><cmd>Fill the <uicontrol>tank</uicontrol>.</cmd></step><step><cmd>Burn.</cmd></step></steps></taskbody></task>',
      ),
    ).toBe('# Light\n\nHow.\n\n1. Fill the **tank**.\n2. Burn.');
  });
});

describe('feeds', () => {
  it('write entries of RSS with their HTML', async () => {
    expect(
      await read(
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title><description>All of it</description><item><title>Fog &amp;amp; ice</title><link>https://example.org/1</link><pubDate>Mon, 06 Sep 2021 00:01:00 GMT</pubDate><description>Teaser</description><content:encoded><![CDATA[<p>Long <b>text</b></p><ul><li>a</li></ul>]]></content:encoded></item></channel></rss>',
      ),
    ).toBe(
      '# News\n\nAll of it\n\n## [Fog & ice](https://example.org/1)\n\nMon, 06 Sep 2021 00:01:00 GMT\n\nTeaser\n\nLong **text**\n\n- a',
    );
  });

  it('write entries of Atom, and a summary only if the content lacks it', async () => {
    expect(
      await read(
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><entry><title>One</title><id>urn:1</id><summary>Body here</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Body <em>here</em> now</p></div></content></entry></feed>',
      ),
    ).toBe('# Notes\n\n## One\n\nBody *here* now');
  });
});

describe('SVG', () => {
  it('gives title, description and texts, without styles', async () => {
    expect(
      await read(
        '<svg xmlns="http://www.w3.org/2000/svg"><title>Bay</title><desc>Rocks</desc><style>.a{}</style><g><text><tspan>Gu</tspan><tspan>ll</tspan></text><text><tspan x="0">One</tspan><tspan x="0">two</tspan></text></g></svg>',
      ),
    ).toBe('# Bay\n\nRocks\n\nGull\n\nOne two');
  });
});

describe('OPML', () => {
  it('becomes a nested list', async () => {
    expect(
      await read(
        '<opml version="2.0"><head><title>Feeds</title></head><body><outline text="Sea"><outline text="Tides" htmlUrl="https://e.org"/></outline></body></opml>',
      ),
    ).toBe('# Feeds\n\n- Sea\n  - [Tides](https://e.org)');
  });
});

describe('XBRL', () => {
  it('becomes a table of facts, followed by texts', async () => {
    expect(
      await read(
        '<x:xbrl xmlns:x="http://www.xbrl.org/2003/instance" xmlns:g="http://g"><x:context id="c"><x:entity><x:identifier>0001</x:identifier></x:entity><x:period><x:startDate>2020-01-01</x:startDate><x:endDate>2020-12-31</x:endDate></x:period></x:context><x:unit id="u"><x:divide><x:unitNumerator><x:measure>iso4217:USD</x:measure></x:unitNumerator><x:unitDenominator><x:measure>x:shares</x:measure></x:unitDenominator></x:divide></x:unit><g:Eps contextRef="c" unitRef="u" decimals="2">1.25</g:Eps><g:Policy contextRef="c">&lt;p&gt;We sell &lt;b&gt;oil&lt;/b&gt;.&lt;/p&gt;</g:Policy></x:xbrl>',
      ),
    ).toBe(
      '# XBRL report\n\n**Entity:** 0001\n\n| Concept | Period                   | Unit       | Value |\n| ------- | ------------------------ | ---------- | ----- |\n| g:Eps   | 2020-01-01 to 2020-12-31 | USD/shares | 1.25  |\n\n## g:Policy\n\nWe sell **oil**.',
    );
  });
});

describe('inline XBRL', () => {
  it('keeps the web page, leaves out its definitions and appends a table of facts', async () => {
    const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:xbrli="http://www.xbrl.org/2003/instance"><body><ix:header><ix:resources><xbrli:context id="c"><xbrli:entity><xbrli:identifier>0001</xbrli:identifier></xbrli:entity><xbrli:period><xbrli:instant>2020-12-31</xbrli:instant></xbrli:period></xbrli:context><xbrli:unit id="u"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit></ix:resources></ix:header><p>Assets of <ix:nonFraction name="g:Assets" contextRef="c" unitRef="u" scale="3" format="ixt:num-dot-decimal">1,234.5</ix:nonFraction> and <ix:nonNumeric name="g:Name" contextRef="c">Moss Ltd</ix:nonNumeric>.</p></body></html>`;
    expect((await readXml(page, 'report.htm')).markdown).toBe(
      'Assets of 1,234.5 and Moss Ltd.\n\n## XBRL facts\n\n| Concept  | Period     | Unit | Value    |\n| -------- | ---------- | ---- | -------- |\n| g:Assets | 2020-12-31 | USD  | 1234500  |\n| g:Name   | 2020-12-31 |      | Moss Ltd |',
    );
  });
});

describe('XML of other vocabularies', () => {
  it('turns titled containers of text into sections, and repeated records into tables', async () => {
    expect(
      await read(
        '<rules edition="2"><title>Station</title><chapter id="c"><title>Watch</title><para>Stand a <em>watch</em>.</para><duties><duty><no>1</no><what>wake</what></duty><duty><no>2</no><what>log</what></duty></duties><part><head>Storms</head><para>Two stand.</para><contact><phone>123</phone></contact></part></chapter></rules>',
      ),
    ).toBe(
      '# Station\n\n- **edition**: 2\n\n## Watch\n\nStand a watch.\n\n**duties**\n\n| no  | what |\n| --- | ---- |\n| 1   | wake |\n| 2   | log  |\n\n### Storms\n\nTwo stand.\n\n- **contact**\n  - **phone**: 123',
    );
  });
});

describe('tables of records', () => {
  it('leave out the types that a schema declares', async () => {
    const record = '<b xsi:type="t"><c>1</c><d>2</d></b>';
    expect(await read(`<?xml version="1.0"?><a>${record.repeat(2)}</a>`)).not.toContain('type');
  });
});

describe('entities in XML', () => {
  it('are decoded by their HTML and ISO names outside of CDATA', async () => {
    expect(await read('<a>&alpha;&agr;&Ohgr; &nbsp;&lsqb;&lt;&nosuch;<![CDATA[&agr;]]></a>')).toBe(
      '# a\n\nααΩ [<&nosuch;&agr;',
    );
  });

  it('are replaced if the document declares them as plain text, and external ones are not loaded', async () => {
    expect(
      await read(
        '<!DOCTYPE a [<!ENTITY co "Moss &#38; Reed"><!ENTITY ext SYSTEM "file:///etc/passwd"><!ENTITY tag "<b>x</b>"><!-- > ] -->]><a>&co; &ext; &tag;</a>',
      ),
    ).toBe('# a\n\nMoss & Reed &ext; &tag;');
  });

  it('add at most 4 Mi characters to a text', async () => {
    const references = '&b;'.repeat(10_000);
    const text = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1_000)}">]><a>${references}</a>`;
    const markdown = await read(text);
    expect(markdown.length).toBeLessThan(4.3 * 1024 * 1024);
    expect(markdown).toContain('&b;');
  });
});
