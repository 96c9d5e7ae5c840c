// The theme without its fonts: the guide uses those of the reader's system.
import theme from 'vitepress/theme-without-fonts';
import './theme.css';

export default theme;
