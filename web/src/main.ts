import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { studio } from "./state/studio.svelte.ts";

const target = document.getElementById("app");
if (target) mount(App, { target });
void studio.start();
