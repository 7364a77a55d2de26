import { render } from "preact";
import { App } from "./app.tsx";
import { followTouches } from "./state/attention.ts";
import { chosenScheme } from "./state/scheme.ts";
import "./styles/colours.css";
import "./styles/base.css";
import "./styles/pages.css";
import "./styles/use.css";
import "./styles/map.css";
import "./styles/acts.css";
import "./styles/live.css";
import "./styles/tree.css";

document.documentElement.dataset.scheme = chosenScheme();
followTouches();
const root = document.getElementById("console");
if (root) render(<App />, root);
