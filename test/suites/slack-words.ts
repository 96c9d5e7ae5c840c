/** A channel has no folders. */
export const channelName = (path: string): string => path.replaceAll('/', ' ');

/** A text as the vendor keeps it: its own signs are entities. */
export const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
