import { describe, expect, it } from 'vitest';
import { readText } from './read-text.ts';

/** Small documents, each with the rules that the title names. */
const DOCUMENTS: [rules: string, name: string, text: string, markdown: string][] = [
  [
    'parts of an affiliation',
    'a.xml',
    `<article><front><article-meta><title-group><article-title>T</article-title></title-group><contrib-group><contrib contrib-type="author"><name><surname>Moss</surname><given-names>Ada</given-names></name></contrib></contrib-group><aff id="a"><label>1</label><institution>Harbour Office</institution><country>Gull Rock</country></aff><aff>2 Plain, text</aff><abstract><p>Short.</p></abstract></article-meta></front><body><sec><title>S</title><p>x</p></sec></body></article>`,
    `# T

Ada Moss

<sup>1</sup> Harbour Office, Gull Rock

2 Plain, text

## Abstract

Short.

## S

x`,
  ],
  [
    'addresses and remarks of outlines',
    'a.opml',
    `<opml version="2.0"><head><title>Feeds</title><ownerName>Ada</ownerName></head><body><outline text="News" htmlUrl="https://a.example" xmlUrl="https://a.example/feed" description="Daily"><outline text="Inner" _note="Remark"/></outline><outline title="Only" xmlUrl="https://b.example/feed"/></body></opml>`,
    `# Feeds

- [News](https://a.example) (https://a.example/feed) – Daily
  - Inner – Remark
- [Only](https://b.example/feed)`,
  ],
  [
    'numbers of claims and cited references',
    'a.xml',
    `<us-patent-grant lang="EN"><us-bibliographic-data-grant><publication-reference><document-id><country>US</country><doc-number>07000001</doc-number><kind>B2</kind><date>20200102</date></document-id></publication-reference><invention-title>Lamp</invention-title><us-references-cited><us-citation><patcit num="1"><document-id><country>US</country><doc-number>123</doc-number><kind>A</kind><name>Hale</name><date>19990100</date></document-id></patcit></us-citation><us-citation><nplcit><othercit>Moss, Lamps, 1998.</othercit></nplcit></us-citation></us-references-cited></us-bibliographic-data-grant><abstract><p>A lamp.</p></abstract><description><p>x</p></description><claims><claim num="00001"><claim-text><b>1</b>. A lamp<claim-text>with a lens</claim-text></claim-text></claim><claim num="00002"><claim-text> 2. The lamp of claim 1.</claim-text></claim><claim num="00003"><claim-text>35 lamps.</claim-text></claim></claims></us-patent-grant>`,
    `# Lamp

- **Publication:** US 07000001 B2 (2020-01-02)

## References cited

- US 123 A (1999-01) Hale
- Moss, Lamps, 1998.

## Abstract

A lamp.

## Description

x

## Claims

1. A lamp
   - with a lens
2. The lamp of claim 1.
3. 35 lamps.`,
  ],
  [
    'printed numbers of notes, and corrections',
    'a.xml',
    `<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Letters</title><author>Ada</author></titleStmt></fileDesc></teiHeader><text><body><div><head>One</head><p>Words<note place="foot" n="3">3. The <hi rend="italic">note</hi>.</note> and<note place="margin">beside</note> <choice><sic>eror</sic><corr>error</corr></choice> <del>gone</del></p></div></body></text></TEI>`,
    `# Letters

Ada

## One

Words[^1] and

beside

error ~~gone~~

[^1]: The *note*.`,
  ],
  [
    'authors of a section',
    'a.xml',
    `<section xmlns="http://docbook.org/ns/docbook"><sectioninfo><author><firstname>Ada</firstname><surname>Moss</surname></author></sectioninfo><title>Tides</title><para>Text.</para><warning><para>Wet.</para></warning><procedure><step><para>Go.</para></step></procedure><segmentedlist><segtitle>k</segtitle></segmentedlist></section>`,
    `# Tides

Ada Moss

Text.

> **Warning**

> Wet.

1. Go.

k`,
  ],
  [
    'cells over several rows and columns',
    'a.xml',
    `<section xmlns="http://docbook.org/ns/docbook"><title>T</title><table><tgroup cols="3"><colspec colname="a"/><colspec colname="b"/><colspec colname="c"/><tbody><row><entry morerows="1">tall</entry><entry namest="b" nameend="c">wide</entry></row><row><entry>x</entry><entry>y</entry></row><row><entry>1</entry><entry>2</entry><entry>3</entry></row></tbody></tgroup></table></section>`,
    `# T

| tall | wide |     |
| ---- | ---- | --- |
|      | x    | y   |
| 1    | 2    | 3   |`,
  ],
  [
    'notes, definitions and simple tables',
    'a.dita',
    `<topic id="t"><title>Lamp</title><shortdesc>Short.</shortdesc><body><note type="caution">Hot.</note><dl><dlentry><dt>lens</dt><dd>glass</dd></dlentry></dl><simpletable><sthead><stentry>h</stentry><stentry>i</stentry></sthead><strow><stentry>a</stentry><stentry>b</stentry></strow></simpletable><codeblock>x = 1</codeblock></body></topic>`,
    `# Lamp

Short.

> **Caution**

> Hot.

**lens**

glass

| h   | i   |
| --- | --- |
| a   | b   |

\`\`\`
x = 1
\`\`\``,
  ],
  [
    'entries of a feed',
    'a.xml',
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><author><name>Ada</name></author><entry><title>One</title><link href="https://a.example/1" rel="alternate"/><updated>2024-01-02T00:00:00Z</updated><summary type="html">&lt;p&gt;Text &lt;b&gt;b&lt;/b&gt;&lt;/p&gt;</summary></entry></feed>`,
    `# News

## [One](https://a.example/1)

2024-01-02T00:00:00Z

Text **b**`,
  ],
  [
    'periods and units of facts',
    'a.xml',
    `<xbrl xmlns="http://www.xbrl.org/2003/instance" xmlns:g="http://g"><context id="y"><entity><identifier scheme="s">77</identifier></entity><period><startDate>2020-01-01</startDate><endDate>2020-12-31</endDate></period></context><context id="i"><entity><identifier scheme="s">77</identifier></entity><period><instant>2020-12-31</instant></period></context><unit id="u"><measure>iso4217:USD</measure></unit><unit id="r"><divide><unitNumerator><measure>iso4217:USD</measure></unitNumerator><unitDenominator><measure>shares</measure></unitDenominator></divide></unit><g:RevenueTotal contextRef="y" unitRef="u" decimals="-3">1000</g:RevenueTotal><g:Assets contextRef="i" unitRef="u">5</g:Assets><g:PerShare contextRef="y" unitRef="r">0.5</g:PerShare></xbrl>`,
    `# XBRL report

**Entity:** 77

| Concept        | Period                   | Unit       | Value |
| -------------- | ------------------------ | ---------- | ----- |
| g:RevenueTotal | 2020-01-01 to 2020-12-31 | USD        | 1000  |
| g:Assets       | 2020-12-31               | USD        | 5     |
| g:PerShare     | 2020-01-01 to 2020-12-31 | USD/shares | 0.5   |`,
  ],
];

describe('rules of XML vocabularies', () => {
  it.each(DOCUMENTS)('%s (%s)', async (_, name, text, markdown) => {
    expect(await readText(name, text)).toBe(markdown);
  });
});
