import { render } from "preact";
import { App } from "./app.tsx";
import { followTouches } from "./state/attention.ts";
import { chosenScheme } from "./state/scheme.ts";
import "./styles.ts";

document.documentElement.dataset.scheme = chosenScheme();
followTouches();
const root = document.getElementById("console");
if (root) render(<App />, root);
