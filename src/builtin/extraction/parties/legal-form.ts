/**
 * Matches legal forms of companies in Europe, the Americas and Asia, in the spelling that documents print.
 * Registers define them, so the list is complete.
 */
const LEGAL_FORM =
  /(?<![\p{L}])(?:GmbH(?: ?& ?Co\.?(?: ?KG)?)?|mbH|GMBH|MBH|AG|KG|KGaA|OHG|GbR|UG|e\.? ?K\.?|e\. ?V\.|a\. ?G\.|SE|Inc\.?|LLC|L\.L\.C\.|Ltd\.?|Limited|LLP|PLC|plc|Corp\.?|Corporation|Company|Co\.|B\.?V\.?|N\.?V\.?|V\.?O\.?F\.?|SARL|S\.A\.R\.L\.|SAS|S\.A\.S\.?|SASU|EURL|S\.A\.?|SA|S\.?r\.?l\.?|S\.?p\.?A\.?|S\.?L\.?|Sp\. ?z ?o\. ?o\.?|Sp\.? ?[jk]\.?|Ltda\.?|Lda\.?|d\.? ?o\.? ?o\.?|s\. ?r\. ?o\.|Kft\.?|Zrt\.?|Pt[ye]\.?|Pvt\.?|S(?:dn|DN)\.? ?B(?:hd|HD)\.?|AB|A\/S|ApS|Oy|AS)(?![\p{L}])/u;

/** Returns whether a text contains the legal form of a company, such as "GmbH" or "Ltd". */
export const hasLegalForm = (text: string): boolean => LEGAL_FORM.test(text);
