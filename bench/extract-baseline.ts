import type { JsonSchema } from '#src/json-schema/schema.ts';

const NUMBER = /-?\d{1,3}(?:[., ]\d{3})*[.,]\d{2}(?!\d)/g;

function toNumber(text: string): number {
  const compact = text.replace(/ /g, '');
  const last = Math.max(compact.lastIndexOf('.'), compact.lastIndexOf(','));
  return Number(`${compact.slice(0, last).replace(/[.,]/g, '')}.${compact.slice(last + 1)}`);
}

function parseDate(text: string): string | null {
  const iso = /(\d{4})-(\d{2})-(\d{2})/.exec(text);
  if (iso) return iso[0];
  const numeric = /(\d{1,2})[./-](\d{1,2})[./-](\d{4})/.exec(text);
  return numeric ? `${numeric[3]}-${numeric[2]!.padStart(2, '0')}-${numeric[1]!.padStart(2, '0')}` : null;
}

/**
 * Baseline of simple regular expressions. For each field, it returns the first match of the type, after the
 * name of the field if the document contains it.
 */
export function extractWithRegex(schema: JsonSchema, text: string): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const label = new RegExp(name.replace(/_/g, '[\\s_-]*'), 'i').exec(text);
    const after = label ? text.slice(label.index + label[0].length) : '';
    if (property.type === 'array') out[name] = [];
    else if (property.type === 'number' || property.type === 'integer') {
      const labelled = after.slice(0, 80).match(NUMBER)?.[0];
      const numbers = (text.match(NUMBER) ?? []).map(toNumber);
      const fallback = /total|amount/.test(name) && numbers.length > 0 ? Math.max(...numbers) : null;
      out[name] = labelled ? toNumber(labelled) : fallback;
    } else if (property.format === 'date') out[name] = parseDate(after.slice(0, 60)) ?? parseDate(text);
    else if (property.enum) out[name] = property.enum.find((option) => text.includes(String(option))) ?? null;
    else if (/mail/.test(name)) out[name] = /[\w.+-]+@[\w.-]+\.\w{2,}/.exec(text)?.[0] ?? null;
    else if (/web|url|site/.test(name)) out[name] = /https?:\/\/\S+|www\.\S+/.exec(text)?.[0] ?? null;
    else if (/currency/.test(name))
      out[name] =
        /\b(?:EUR|USD|GBP|PLN|INR)\b/.exec(text)?.[0] ??
        (text.includes('€') ? 'EUR' : text.includes('$') ? 'USD' : null);
    else if (/number|_id$/.test(name)) {
      const general =
        /(?:invoice|rechnung|facture|factuur|faktura)\s*(?:number|no\.?|nr\.?|#)?\s*:?\s*([\w/-]*\d[\w/-]*)/i.exec(
          text,
        );
      out[name] = /^[\s:#.]*([\w/-]*\d[\w/-]*)/.exec(after)?.[1] ?? general?.[1] ?? null;
    } else out[name] = /^[ \t]*:?[ \t]*(.+)/.exec(after)?.[1]?.trim().slice(0, 80) ?? null;
  }
  return out;
}
