{ Code shared by both test programs: the shared vectors, and a run that ends with a line of counts. }
unit TestBasics;

{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$H+}

interface

uses
  SysUtils, Classes, fpcunit, testregistry, fpjson, jsonparser;

function BytesOfHex(const Hex: string): TBytes;
{ Returns Len bytes, where byte I is I mod 251. }
function Pattern(Len: Integer): TBytes;
{ Returns the message of a line. }
function MessageOf(V: TJSONObject): TBytes;
{ Returns a parsed line of one of the files; the caller frees it. }
function RowOf(const Line: string): TJSONObject;

{ Runs all registered tests, prints those that fail, and sets ExitCode. }
procedure RunAll;

implementation

function BytesOfHex(const Hex: string): TBytes;
var
  I: Integer;
begin
  Result := nil;
  SetLength(Result, Length(Hex) div 2);
  for I := 0 to High(Result) do
    Result[I] := StrToInt('$' + Copy(Hex, 2 * I + 1, 2));
end;

function Pattern(Len: Integer): TBytes;
var
  I: Integer;
begin
  Result := nil;
  SetLength(Result, Len);
  for I := 0 to Len - 1 do
    Result[I] := I mod 251;
end;

function MessageOf(V: TJSONObject): TBytes;
var
  Piece: TBytes;
  I: Integer;
begin
  if V.IndexOfName('message_hex') >= 0 then
    Exit(BytesOfHex(V.Strings['message_hex']));
  if V.Strings['message_pattern'] = 'mod251' then
    Exit(Pattern(V.Integers['length']));
  Piece := BytesOfHex(V.Strings['unit_hex']);
  Result := nil;
  SetLength(Result, Length(Piece) * V.Integers['count']);
  for I := 0 to V.Integers['count'] - 1 do
    Move(Piece[0], Result[I * Length(Piece)], Length(Piece));
end;

function RowOf(const Line: string): TJSONObject;
begin
  Result := GetJSON(Line) as TJSONObject;
end;

procedure RunAll;
var
  Results: TTestResult;
  Bad, I: Integer;
begin
  Results := TTestResult.Create;
  try
    GetTestRegistry.Run(Results);
    for I := 0 to Results.NumberOfFailures - 1 do
      Writeln(TTestFailure(Results.Failures[I]).AsString);
    for I := 0 to Results.NumberOfErrors - 1 do
      Writeln(TTestFailure(Results.Errors[I]).AsString, ' at ', TTestFailure(Results.Errors[I]).LocationInfo);
    Bad := Results.NumberOfFailures + Results.NumberOfErrors;
    Write('test result: ');
    if Bad = 0 then
      Write('ok')
    else
      Write('FAILED');
    Writeln('. ', Results.RunTests - Bad, ' passed; ', Bad, ' failed');
    ExitCode := Ord(Bad > 0);
  finally
    Results.Free;
  end;
end;

end.
