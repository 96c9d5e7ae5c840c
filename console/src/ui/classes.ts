/** Names of classes that apply, in one attribute. */
export const classes = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ');
