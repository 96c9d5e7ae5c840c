/** Of this service, as its description and its capabilities say it. */
export const VERSION = '0.3.0';
