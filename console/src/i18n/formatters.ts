/** Tag of the language whose rules format numbers, dates and plurals. */
let formatTag = 'en';

export const setFormatTag = (tag: string): void => {
  formatTag = tag;
};

export const getFormatTag = (): string => formatTag;

/** Creating a formatter takes much longer than using it, so each is created once. */
function cache<Options, Formatter>(create: (tag: string, options?: Options) => Formatter) {
  const created = new Map<string, Formatter>();
  return (tag: string, options?: Options): Formatter => {
    const key = options === undefined ? tag : `${tag} ${JSON.stringify(options)}`;
    const known = created.get(key);
    if (known) return known;
    const formatter = create(tag, options);
    created.set(key, formatter);
    return formatter;
  };
}

const getNumberFormat = cache<Intl.NumberFormatOptions, Intl.NumberFormat>(
  (tag, options) => new Intl.NumberFormat(tag, options),
);
const getDateTimeFormat = cache<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(
  (tag, options) => new Intl.DateTimeFormat(tag, options),
);
const getPluralRules = cache<Intl.PluralRulesOptions, Intl.PluralRules>(
  (tag, options) => new Intl.PluralRules(tag, options),
);

/** Formatters that messages use for their numbers, dates and plurals. */
export const MESSAGE_FORMATTERS = {
  getNumberFormat: (tag: string, options?: Intl.NumberFormatOptions) => getNumberFormat(tag, options),
  getDateTimeFormat: (tag: string, options?: Intl.DateTimeFormatOptions) => getDateTimeFormat(tag, options),
  getPluralRules: (tag: string, options?: Intl.PluralRulesOptions) => getPluralRules(tag, options),
};

/**
 * Formats a number. Small whole numbers are the same in every language of the console, and need no formatter: the first
 * one takes longer to create than a page of them takes to show.
 */
export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  options === undefined && Number.isInteger(value) && value >= 0 && value < 1000
    ? String(value)
    : getNumberFormat(formatTag, options).format(value);

export const formatDate = (value: Date, options: Intl.DateTimeFormatOptions): string =>
  getDateTimeFormat(formatTag, options).format(value);

const getRelativeTimeFormat = cache<Intl.RelativeTimeFormatOptions, Intl.RelativeTimeFormat>(
  (tag, options) => new Intl.RelativeTimeFormat(tag, options),
);

/** Formats a number of days in the past, such as "3 days ago". */
export const formatDaysAgo = (days: number): string => getRelativeTimeFormat(formatTag).format(-days, 'day');
