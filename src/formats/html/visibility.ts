import type { LayoutPlan } from '#src/parse/plan.ts';
import { descendants, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';

interface SimpleRules {
  hidden: Set<string>;
  fixed: Set<string>;
}

const HIDDEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))/i;
const FIXED = /(?:^|;)\s*position\s*:\s*(?:fixed|sticky)/i;
const SIMPLE_SELECTOR = /^[a-z0-9]*[.#][\w-]+$/i;

/**
 * Reads CSS rules that hide or fix elements. Only selectors with one class or id, optionally after an element
 * name, are supported.
 */
function simpleRules(root: XmlElement): SimpleRules {
  const rules: SimpleRules = { hidden: new Set(), fixed: new Set() };
  const css = descendants(root, 'style')
    .map(getTextContent)
    .join('\n')
    .slice(0, 500_000)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '');
  let depth = 0;
  let from = 0;
  let selector = '';
  for (let at = 0; at < css.length; at++) {
    const character = css[at];
    if (character !== '{' && character !== '}') continue;
    const piece = css.slice(from, at).trim();
    from = at + 1;
    if (character === '{') {
      depth++;
      selector = depth === 1 ? piece : '';
      continue;
    }
    if (depth === 1 && !selector.startsWith('@')) {
      const [hides, fixes] = [HIDDEN.test(piece), FIXED.test(piece)];
      for (const one of hides || fixes ? selector.split(',').map((part) => part.trim()) : []) {
        if (!SIMPLE_SELECTOR.test(one)) continue;
        if (hides) rules.hidden.add(one);
        if (fixes) rules.fixed.add(one);
      }
    }
    depth = Math.max(0, depth - 1);
  }
  return rules;
}

function matches(element: XmlElement, selectors: Set<string>): boolean {
  if (selectors.size === 0) return false;
  const { class: classes, id } = element.attributes;
  const names = (classes ?? '')
    .split(/\s+/)
    .filter(Boolean)
    .map((name) => `.${name}`);
  if (id) names.push(`#${id}`);
  return names.some((name) => selectors.has(name) || selectors.has(element.name + name));
}

const NAVIGATION_ROLES = new Set(['navigation', 'menu', 'menubar', 'search', 'banner', 'contentinfo']);

/**
 * Returns a test for elements that the parse parameters exclude, such as hidden elements or navigation. Their
 * content is excluded too.
 */
export function exclusionRule(
  root: XmlElement,
  { showHidden, removeFixed, removeNavigation }: LayoutPlan['html'],
): (element: XmlElement) => boolean {
  const rules =
    showHidden && !removeFixed ? { hidden: new Set<string>(), fixed: new Set<string>() } : simpleRules(root);
  return (element) => {
    const { style = '', role = '' } = element.attributes;
    if (removeNavigation && (element.name === 'nav' || NAVIGATION_ROLES.has(role.toLowerCase()))) return true;
    if (removeFixed && (FIXED.test(style) || matches(element, rules.fixed))) return true;
    if (showHidden) return false;
    return 'hidden' in element.attributes || HIDDEN.test(style) || matches(element, rules.hidden);
  };
}
