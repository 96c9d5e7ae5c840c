// The default theme without its bundled fonts. The guide uses the fonts of the reader's system.
import theme from 'vitepress/theme-without-fonts';
import './theme.css';

export default theme;
