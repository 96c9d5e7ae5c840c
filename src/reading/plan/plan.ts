import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { withPreset } from './presets.ts';

/** Reading mode of a page; see docs/parsing-with-models.md. */
export type Mode = 'text' | 'layout' | 'corrected' | 'vision' | 'agentic' | 'document';

export interface Plan {
  mode: Mode;
  /** Parameter that chose the mode; undefined for the default. */
  chosenBy: string | undefined;
  /** Whether the model sees the page's picture. */
  sees: boolean;
  /** Whether a second pass corrects errors of the first. */
  repairs: boolean;
  /** Whether the model sees the text of the neighbouring pages. */
  neighbours: boolean;
  /** Whether a model reads only pages with a trigger. The parser alone reads the others. */
  isTriggered: boolean;
  /** Model that the parameters name; undefined for that of the project or the installation. */
  modelName: string | undefined;
  /** Parameters that request another mode than the chosen one. */
  overruled: string[];
}

type Way = Pick<Plan, 'mode' | 'sees' | 'repairs' | 'neighbours'>;

const way = (mode: Mode, further: Partial<Way> = {}): Way => ({
  ...{ mode, sees: false, repairs: false, neighbours: false },
  ...further,
});
const TEXT = way('text');
const LAYOUT = way('layout');
const CORRECTED = way('corrected');
const VISION = way('vision', { sees: true });
const AGENTIC = way('agentic', { sees: true, repairs: true });
const DOCUMENT = way('document', { neighbours: true });

const PARSE_MODES: Record<NonNullable<ParseParameters['parse_mode']>, Way> = {
  parse_page_without_llm: LAYOUT,
  parse_page_with_llm: CORRECTED,
  parse_page_with_lvm: VISION,
  parse_page_with_agent: AGENTIC,
  parse_page_with_layout_agent: AGENTIC,
  parse_document_with_llm: DOCUMENT,
  parse_document_with_lvm: { ...DOCUMENT, sees: true },
  parse_document_with_agent: { ...DOCUMENT, sees: true, repairs: true },
};

const TIERS: Record<string, Way> = {
  fast: TEXT,
  cost_effective: CORRECTED,
  agentic: AGENTIC,
  agentic_plus: { ...DOCUMENT, sees: true, repairs: true },
};

/** Parameters that choose a mode, in order of precedence. */
const CHOOSING: [name: keyof ParseParameters, choose: (parameters: ParseParameters) => Way | undefined][] = [
  ['parse_mode', (parameters) => (parameters.parse_mode ? PARSE_MODES[parameters.parse_mode] : undefined)],
  ['tier', (parameters) => (isTier(parameters.tier) ? TIERS[parameters.tier] : undefined)],
  ['fast_mode', (parameters) => (parameters.fast_mode ? TEXT : undefined)],
  ['premium_mode', (parameters) => (parameters.premium_mode ? AGENTIC : undefined)],
  [
    'use_vendor_multimodal_model',
    (parameters) => (parameters.use_vendor_multimodal_model ? VISION : undefined),
  ],
  ['premium_llm_mode', (parameters) => (parameters.premium_llm_mode ? VISION : undefined)],
  ['continuous_mode', (parameters) => (parameters.continuous_mode ? DOCUMENT : undefined)],
];

export const isTier = (tier: string | null | undefined): tier is string =>
  typeof tier === 'string' && Object.hasOwn(TIERS, tier);

/** Resolves how pages are read. */
export function planOf(given: ParseParameters): Plan {
  const parameters = withPreset(given);
  const asked = CHOOSING.flatMap(([name, choose]) => {
    const chosen = choose(parameters);
    return chosen ? [{ name, chosen }] : [];
  });
  const isTriggered = parameters.auto_mode === true;
  const able = isTriggered ? asked.filter(({ chosen }) => needsModel(chosen)) : asked;
  const first = able[0] ?? (isTriggered ? { name: 'auto_mode', chosen: AGENTIC } : undefined);
  // With triggers, every page begins with the parser's layout.
  const others = asked.filter((each) => each !== first && !(isTriggered && each.chosen === LAYOUT));
  const overruled = others.filter(({ chosen }) => chosen !== first!.chosen).map(({ name }) => name);
  const chosen = first?.chosen ?? LAYOUT;
  const vendorName = chosen.sees ? parameters.vendor_multimodal_model_name : undefined;
  const modelName = parameters.model || vendorName || undefined;
  const isOfPreset = first?.name === 'parse_mode' && !given.parse_mode;
  return {
    ...chosen,
    chosenBy: isOfPreset ? 'preset' : first?.name,
    ...{ isTriggered, modelName, overruled },
  };
}

export const needsModel = ({ mode }: Pick<Plan, 'mode'>) => mode !== 'text' && mode !== 'layout';
