"""The routes of the catalogue, and of what is understood of a model that is not in it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Body, Response

from servelab import api
from servelab.errors import SpecError, UnknownName
from servelab.server.answers import Problems
from servelab.server.bodies import json_body, refusal
from servelab.specs.catalog import listing
from servelab.specs.catalog.listing import AcceleratorRow, ModelRow
from servelab.specs.fields import as_json
from servelab.specs.references import model_of

router = APIRouter(tags=["catalogue"])


@dataclass(frozen=True)
class Models:
    """The models of the catalogue."""

    models: list[ModelRow]


@dataclass(frozen=True)
class Accelerators:
    """The accelerators of the catalogue."""

    accelerators: list[AcceleratorRow]


@router.get("/api/models", response_model=Models)
async def models() -> Response:
    """The models of the catalogue, each in a row."""
    return json_body(_models())


@router.get("/api/accelerators", response_model=Accelerators)
async def accelerators() -> Response:
    """The accelerators of the catalogue, with the source of every number and what no source gives."""
    return json_body(_accelerators())


@router.get("/api/models/{name:path}", response_model=api.ModelAnswer, responses={404: {"model": Problems}})
async def model(name: str) -> Response:
    """One model of the catalogue, by id, alias or Hugging Face id: its layers, parts, cache, and where it was read."""
    try:
        return json_body(as_json(api.catalogue_model(name)))
    except UnknownName as error:
        return refusal(404, "path", error.message)


@router.post("/api/model", response_model=api.ModelAnswer)
async def understood(fields: Annotated[dict[str, Any], Body()]) -> Response:
    """What is understood of a model: the body is a config.json's content, or the fields of Model."""
    try:
        return json_body(as_json(api.understood(model_of(fields))))
    except SpecError as error:
        return refusal(422, error.field or "body", error.message)


@functools.cache
def _models() -> str:
    return as_json(Models(listing.model_rows()))


@functools.cache
def _accelerators() -> str:
    return as_json(Accelerators(listing.accelerator_rows()))
