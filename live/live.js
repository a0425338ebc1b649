// Everything there is, for the tests; a page of the site gets only its own part (tools/bundle.py).
import { bandwidth } from "./bandwidth_view.js";
import { captioner } from "./captioner_view.js";
import { microscope } from "./microscope_view.js";
import { mount } from "./page.js";
import { reader } from "./reader_view.js";
import { translator } from "./translator_view.js";

export const views = { bandwidth, captioner, microscope, reader, translator };
export const wake = () => mount(views);
